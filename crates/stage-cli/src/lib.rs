//! The one command line and terminal output that all stages share
