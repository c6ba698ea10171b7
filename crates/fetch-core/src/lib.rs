//! The HTTP protocol as pure functions, and the contract that every stage meets
