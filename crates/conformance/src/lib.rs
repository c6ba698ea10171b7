//! The cases as data, and the checks that every stage must pass
