//! Which kind of error the system's errors become.

use std::io;

use fetch_core::{ErrorKind, FetchError};

#[cfg(unix)]
#[test]
fn resolver_without_descriptors_says_nothing_of_the_name() {
    let too_many_open_files = io::Error::from_raw_os_error(24);
    let error = FetchError::resolving("localhost", &too_many_open_files);
    assert_eq!(error.kind(), ErrorKind::Resources, "{error}");
}

#[test]
fn resolver_without_an_answer_says_that_there_is_no_such_name() {
    let unknown = io::Error::other("Name or service not known");
    let error = FetchError::resolving("localhost", &unknown);
    assert_eq!(error.kind(), ErrorKind::DnsFailure, "{error}");
}
