//! The parts of the suite: the data, the cuts, the judge, the watch.

use std::collections::HashSet;
use std::time::Duration;

use bytes::Bytes;
use conformance::{Case, Delivery, Expected, Latitude, Subject, Target, cases, judge};
use fetch_core::{FetchError, Home, Options, Request, Response, Stage};

#[test]
fn ids_are_unique_and_fit_a_test_name() {
    let mut ids = HashSet::new();
    for case in cases() {
        assert!(ids.insert(&case.id), "{} is there twice", case.id);
        let fits = |char: char| char.is_ascii_alphanumeric() || "-_".contains(char);
        assert!(case.id.chars().all(fits), "{}", case.id);
        assert!(!case.title.is_empty(), "{}", case.id);
    }
}

/// Nothing is lost or doubled by cutting, and no piece is empty.
#[test]
fn deliveries_deliver_the_same_bytes() {
    for case in cases() {
        for delivery in Delivery::all_of(case) {
            let (pieces, _) = delivery.pieces(case);
            assert_eq!(
                pieces.concat(),
                case.response_bytes(),
                "{}: {delivery}",
                case.id
            );
            assert!(
                pieces.iter().all(|piece| !piece.is_empty()),
                "{}: {delivery}",
                case.id
            );
            if let Delivery::Cut { at, .. } = &delivery {
                assert!(at.len() <= 64 && at.is_sorted(), "{}: {delivery}", case.id);
            }
        }
    }
}

#[test]
fn a_short_response_is_cut_at_every_byte() {
    let case = find("base-cl");
    let length = case.response_bytes().len();
    let cut = Delivery::all_of(case).pop();
    let Some(Delivery::Cut { at, .. }) = cut else {
        panic!("{cut:?}");
    };
    assert_eq!(at, (1..length).collect::<Vec<_>>());
}

#[test]
fn what_has_only_one_form_is_delivered_once() {
    assert_eq!(Delivery::all_of(find("hdr-blank-cr")), [Delivery::AsGiven]);
    assert_eq!(Delivery::all_of(find("conn-silent")), [Delivery::AsGiven]);
    assert_eq!(Delivery::all_of(find("base-cl")).len(), 2);
    assert_eq!(Delivery::all_of(find("split-in-trailer")).len(), 3);
}

#[test]
fn the_judge_sees_every_difference() {
    let case = find("hdr-set-cookie");
    let right = || {
        let mut response = Response::new(Bytes::from_static(b"ok"));
        let headers = response.headers_mut();
        for (name, value) in [
            ("content-length", "2"),
            ("set-cookie", "b=2; Path=/"),
            ("set-cookie", "a=1, x"),
            ("set-cookie", "c=3"),
        ] {
            headers.append(name, value.parse().expect("a value"));
        }
        response
    };
    assert_eq!(judge(case, &Ok(right()), Latitude::None, 0), Ok(()));

    let changes: [fn(&mut Response); 7] = [
        |response| *response.status_mut() = http::StatusCode::CREATED,
        |response| *response.version_mut() = http::Version::HTTP_10,
        |response| *response.body_mut() = Bytes::from_static(b"OK"),
        |response| *response.body_mut() = Bytes::from_static(b"ok!"),
        |response| drop(response.headers_mut().remove("content-length")),
        |response| {
            let added = http::HeaderValue::from_static("y");
            response.headers_mut().append("x", added);
        },
        |response| {
            // The same values in another order.
            let headers = response.headers_mut();
            let mut values: Vec<_> = headers.get_all("set-cookie").iter().cloned().collect();
            headers.remove("set-cookie");
            values.reverse();
            for value in values {
                headers.append("set-cookie", value);
            }
        },
    ];
    for (index, change) in changes.iter().enumerate() {
        let mut response = right();
        change(&mut response);
        let judged = judge(case, &Ok(response), Latitude::None, 0);
        assert!(judged.is_err(), "change {index} is not seen");
    }
    assert!(judge(case, &Err(FetchError::Cancelled), Latitude::None, 0).is_err());
}

#[test]
fn latitude_is_for_heads_that_never_complete() {
    let case = find("status-lowercase");
    let disconnected = Err(FetchError::closed_before_head());
    assert!(judge(case, &disconnected, Latitude::None, 0).is_err());
    assert!(judge(case, &disconnected, Latitude::MalformedHeadCut, 0).is_ok());
    assert!(
        judge(
            case,
            &Err(FetchError::Cancelled),
            Latitude::MalformedHeadCut,
            0
        )
        .is_err()
    );
    let success = Ok(Response::new(Bytes::new()));
    assert!(judge(case, &success, Latitude::MalformedHeadCut, 0).is_err());
}

/// Most cases are about one response; a typing error must not turn a theme
/// into something that is never played.
#[test]
fn most_cases_are_played() {
    let played = cases()
        .iter()
        .filter(|case| case.request.target == Target::Script);
    let errors = cases()
        .iter()
        .filter(|case| matches!(case.expected, Expected::Error(_)));
    assert!(played.count() > 500);
    assert!(errors.count() > 250);
}

/// A stage that hangs or panics fails a check; it does not hang or end a run.
#[test]
fn hanging_and_panicking_are_failures() {
    struct Bad(&'static str);

    impl Stage for Bad {
        fn fetch_all(&self, _: Vec<Request>, _: &Options) -> Vec<Result<Response, FetchError>> {
            match self.0 {
                "hangs" => std::thread::sleep(Duration::from_secs(3_600)),
                "panics" => panic!("on purpose"),
                _ => {}
            }
            Vec::new()
        }

        fn load_home(&self, _: &str, _: u64, _: &Options) -> Result<Home, FetchError> {
            Err(FetchError::Cancelled)
        }
    }

    let options = Options {
        deadline: Duration::ZERO,
        ..Options::default()
    };
    for (how, words) in [
        ("hangs", "has not returned"),
        ("panics", "panicked"),
        ("loses a result", "0 results for 1 requests"),
    ] {
        let request = Request::get("http://127.0.0.1/").expect("a good URL");
        let why = Subject::new(Bad(how)).fetch(request, &options);
        let why = why.map(|fetched| fetched.result).expect_err(how);
        assert!(why.contains(words), "{how}: {why}");
    }
}

fn find(id: &str) -> &'static Case {
    let found = cases().iter().find(|case| case.id == id);
    found.unwrap_or_else(|| panic!("no case {id}"))
}
