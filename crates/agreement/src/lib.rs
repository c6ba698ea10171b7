//! Tests that compare several stages: pairwise equality, generated responses, soak
