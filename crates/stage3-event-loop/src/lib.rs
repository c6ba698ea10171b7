//! Stage 3: one thread and a state machine by hand. The wait is kept in fields
