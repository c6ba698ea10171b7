//! The origin server that every run talks to: delays, scripted faults, a journal
