//! Stage 2: a fixed pool of workers. The queue holds what has not begun
