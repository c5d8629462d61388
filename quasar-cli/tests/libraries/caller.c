/* Calls a library as programs in C do; each line that it prints names what is wrong. */

#include "filters.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void check(int holds, const char *what) {
    if (!holds) {
        printf("%s (%s)\n", what, filters_error());
        failures++;
    }
}

static quasar_f32 described(float *data, size_t count) {
    quasar_f32 array = {data, 1, {count}, 0, NULL};
    return array;
}

int main(void) {
    float image[6] = {0, 3, 6, 3, 0, 9};
    quasar_f32 x = {image, 2, {2, 3}, 0, NULL}, y;
    check(filters_smooth(&x, 1, &y) == QUASAR_DONE, "smooth");
    check(y.rank == 2 && y.extents[0] == 2 && y.extents[1] == 3, "the size of a result");
    check(y.data[1] == 3 && y.data[3] == 2 && *filters_error() == 0, "the elements of a result");
    filters_free(y.owner);
    filters_free(NULL);

    float line[4] = {1, 2, 3, 4};
    quasar_f32 v = described(line, 4);
    check(filters_clear(&v, 3) == QUASAR_DONE && line[3] == 0 && line[2] == 3, "a change of an argument");
    v.read_only = 1;
    check(filters_clear(&v, 0) == QUASAR_FAILED && line[0] == 1, "no change of what is read-only");
    check(strstr(filters_error(), "'x' is read-only") != NULL, "why");
    check(filters_same(&v, &y) == QUASAR_DONE && y.data != line && y.data[2] == 3, "a result that was an argument");
    line[2] = 7;
    check(y.data[2] == 3, "it is a copy");
    filters_free(y.owner);

    v.read_only = 0;
    check(filters_add(&v, &v) == QUASAR_DONE && line[1] == 4 && line[2] == 14, "one array for two arguments");
    quasar_f32 part = described(line + 1, 3);
    check(filters_add(&v, &part) == QUASAR_FAILED && strstr(filters_error(), "overlaps") != NULL, "overlap");
    check(line[1] == 4 && line[2] == 14, "nothing is changed");

    float second = 5;
    check(filters_second(&part, &second) == QUASAR_DONE && second == 14, "a number");
    part.extents[0] = 1;
    check(filters_second(&part, &second) == QUASAR_FAILED && second == 0, "an error of the program");
    check(strstr(filters_error(), "x[1], size 1, line ") != NULL, "where it was");
    check(filters_second(NULL, &second) == QUASAR_WRONG_ARGUMENT, "no array");
    check(filters_second(&v, NULL) == QUASAR_WRONG_ARGUMENT, "no place for the result");
    part.rank = 17;
    check(filters_second(&part, &second) == QUASAR_WRONG_ARGUMENT, "too many dimensions");

    quasar_text told;
    int32_t code;
    check(filters_described("h\xc3\xa9", 5, &told, &code) == QUASAR_DONE, "a string");
    check(strcmp(told.data, "h\xc3\xa9!") == 0 && told.length == 4 && code == 5, "its letters");
    filters_free(told.owner);
    check(filters_described("\xff", 5, &told, &code) == QUASAR_WRONG_ARGUMENT && !told.owner, "no UTF-8");

    quasar_complex_float by = {0, 1}, z, pair[2] = {{1, 2}, {3, 4}};
    quasar_c32 c = {pair, 2, {1, 2}, 0, NULL}, turned;
    check(filters_turned(&c, by, &turned, &z) == QUASAR_DONE && z.re == -1, "complex numbers");
    check(turned.data[1].re == -4 && turned.data[1].im == 3, "arrays of them");
    filters_free(turned.owner);
    int32_t sum;
    check(filters_free_(40, 2, &sum) == QUASAR_DONE && sum == 42, "a name that each library has");
    check(filters_set("RUNTIME_NUM_THREADS", "1") == QUASAR_DONE, "a setting");
    check(filters_set("RUNTIME_NUM_THREADS", "none") == QUASAR_FAILED, "a wrong setting");
    return failures;
}
