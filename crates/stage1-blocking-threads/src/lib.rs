//! Stage 1: a thread a fetch. The wait is kept on the thread's stack
