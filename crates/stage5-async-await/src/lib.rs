//! Stage 5: async/await on tokio. The wait is kept in the state machine the compiler wrote
