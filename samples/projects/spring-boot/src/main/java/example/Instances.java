package example;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import java.time.Duration;
import java.util.Objects;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** An application whose instances count orders, and each of which knows the number of all. */
@SpringBootApplication
public class Instances {

    public static void main(String[] arguments) {
        SpringApplication.run(Instances.class, arguments).close();
    }

    @Bean
    MeterRegistry registry() {
        return new SimpleMeterRegistry();
    }

    /** Spring closes the group with the application. */
    @Bean
    ProcessGroup group() {
        return Objects.requireNonNull(ReactiveComm.connect().block(Duration.ofMinutes(1)));
    }

    @Bean
    OrdersOfAll ordersOfAll(ProcessGroup group, MeterRegistry registry) {
        return new OrdersOfAll(group, registry);
    }

    @Bean
    CommandLineRunner shop(OrdersOfAll ordersOfAll, ProcessGroup group, MeterRegistry registry) {
        return arguments -> {
            Counter orders = registry.counter("orders");
            orders.increment(group.rank() + 1);
            ordersOfAll.refresh(orders.count()).block();
            System.out.println("orders=" + orders.count() + ", ordersOfAll="
                    + registry.get("orders.of.all").gauge().value());
        };
    }
}
