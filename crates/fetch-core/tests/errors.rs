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

#[cfg(target_os = "linux")]
#[test]
fn a_socket_that_cannot_be_watched_is_one_too_many() {
    let at_max_user_watches = io::Error::from_raw_os_error(28);
    let error = FetchError::connecting("127.0.0.1:80", &at_max_user_watches);
    assert_eq!(error.kind(), ErrorKind::Resources, "{error}");
}
