package io.reactivecomm.timing;

/**
 * A pattern of names, in which {@code *} stands for any characters, also none: {@code layer*.weight}.
 *
 * <p><b>Cost.</b> No allocation; at most the product of both lengths, nearly always their sum.
 */
record NamePattern(String text) {

    private static final char ANY = '*';

    private static final int NONE = -1;

    /** {@return whether it is the pattern of the whole name} Where a star took too little, the last one takes one more. */
    boolean matches(String name) {
        int at = 0;
        int in = 0;
        int star = NONE;
        int afterStar = 0;
        while (in < name.length()) {
            if (at < text.length() && text.charAt(at) == ANY) {
                star = at++;
                afterStar = in;
            } else if (at < text.length() && text.charAt(at) == name.charAt(in)) {
                at++;
                in++;
            } else if (star != NONE) {
                at = star + 1;
                in = ++afterStar;
            } else {
                return false;
            }
        }
        while (at < text.length() && text.charAt(at) == ANY) {
            at++;
        }
        return at == text.length();
    }
}
