package io.reactivecomm.netty.internal.connection;

import io.netty.channel.Channel;
import io.reactivecomm.spi.WorkThreads;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Scheduler;

/**
 * The engines of TLS 1.3 of this process, all with one {@link SelfSigned} certificate. They authenticate neither end: the {@link Handshake} inside does.
 *
 * <p><b>Threads.</b> Keys are made, and all public-key work is done, on {@code rcomm-tls}.
 */
final class Tls {

    static final String PROTOCOL = "TLSv1.3";

    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);

    /** The fastest first, where the processor has instructions for it; the last one is for processors without. */
    private static final String[] SUITES = {
        "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"
    };

    private static final Scheduler WORK = WorkThreads.named("rcomm-tls");

    private Tls() {}

    /** Holds the keys from their first use. */
    private static final class Keys {

        private static final SSLContext CONTEXT = context();

        private static SSLContext context() {
            try {
                SSLContext context = SSLContext.getInstance(PROTOCOL);
                context.init(
                        new KeyManager[] {new OneKey(SelfSigned.make())},
                        new TrustManager[] {new AnyCertificate()},
                        null);
                // Nothing resumes; by default the caches keep 20,480 sessions for a day.
                context.getClientSessionContext().setSessionCacheSize(1);
                context.getServerSessionContext().setSessionCacheSize(1);
                return context;
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(
                        "this JDK cannot do TLS 1.3: needed=" + PROTOCOL + ", P-256; run on another one", e);
            }
        }
    }

    /** Makes the layer for a connection; the receiver gets it on the channel's loop, and nothing if the channel has gone meanwhile. */
    static void prepare(Channel channel, boolean dials, Consumer<TlsLayer> then) {
        work(channel, () -> {
            SSLEngine engine = engine(dials);
            return () -> then.accept(new TlsLayer(channel, engine));
        });
    }

    /** A task off the loop, with what follows it on the loop. */
    interface Work {

        Runnable run() throws Exception;
    }

    /** Runs a task off the loop. If it fails, the channel's handlers get the cause. */
    static void work(Channel channel, Work task) {
        WORK.schedule(() -> {
            Runnable after;
            try {
                after = task.run();
            } catch (Exception | Error e) {
                after = () -> channel.pipeline().fireExceptionCaught(e);
            }
            try {
                channel.eventLoop().execute(after);
            } catch (RejectedExecutionException e) {
                LOG.trace("the loop ended during a handshake", e);
            }
        });
    }

    /** {@return an engine that resumes no session, because it knows no name of its peer} */
    static SSLEngine engine(boolean dials) {
        SSLEngine engine = Keys.CONTEXT.createSSLEngine();
        engine.setUseClientMode(dials);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(new String[] {PROTOCOL});
        parameters.setCipherSuites(SUITES);
        parameters.setUseCipherSuitesOrder(true);
        engine.setSSLParameters(parameters);
        return engine;
    }

    /** The listener's key. */
    private static final class OneKey extends X509ExtendedKeyManager {

        private static final String ALIAS = "own";
        private static final String[] ALIASES = {ALIAS};

        private final SelfSigned own;

        private OneKey(SelfSigned own) {
            this.own = own;
        }

        @Override
        public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }

        @Override
        public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return ALIASES.clone();
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }

        @Override
        public @Nullable String chooseEngineServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return keyType.equals("EC") ? ALIAS : null;
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return new X509Certificate[] {own.certificate()};
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return own.key();
        }
    }

    /** Trust in any listener, which has to prove itself by the token. No dialer is asked for a certificate. */
    private static final class AnyCertificate extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
