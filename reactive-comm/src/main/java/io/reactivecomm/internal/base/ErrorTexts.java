package io.reactivecomm.internal.base;

/** The words of errors that may be the program's own: what they say is its code, which may throw in turn. */
public final class ErrorTexts {

    private ErrorTexts() {}

    /** {@return what an error says, or its type's name where that throws} */
    public static String message(Throwable error) {
        try {
            String message = error.getMessage();
            return message == null ? "" : message;
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            return error.getClass().getName() + " that does not say why";
        }
    }

    /** {@return an error's type and what it says} */
    public static String describe(Throwable error) {
        try {
            return String.valueOf(error.toString());
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            return error.getClass().getName() + " that does not say why";
        }
    }
}
