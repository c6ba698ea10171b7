//! Stage 4: futures, wakers and an executor by hand. The wait is kept in a value
