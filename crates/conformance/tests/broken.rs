//! The suite on broken stages: each fails where it should.

mod reference;

use std::thread;

use conformance::{Check, Subject, cases, contract_checks, run_case};
use reference::{Fault, Reference};

/// Each fault, and cases and checks that find it; each one by itself does.
const FOUND_BY: &[(Fault, &[&str])] = &[
    (Fault::AcceptsASignInALength, &["case::cl-plus"]),
    (
        Fault::TakesAnInterimHeadForFinal,
        &[
            "case::interim-100",
            "case::interim-103",
            "case::split-1xx-final",
            "case::interim-101-bytes",
        ],
    ),
    (
        Fault::TakesTheEndForSuccess,
        &[
            "case::cl-short-5of10",
            "case::cl-short-shutwr",
            "case::trunc-no-last-chunk",
            "case::trunc-before-end",
            "case::badchunk-trailer-lf",
        ],
    ),
    (
        Fault::TakesAResetForSuccess,
        &[
            "case::conn-reset-in-to-close",
            "case::conn-reset-in-cl",
            "case::conn-rst-mid-chunk",
        ],
    ),
    (
        Fault::HasNoCap,
        &[
            "case::cl-cap-plus-1",
            "case::cl-own-cap-plus-1",
            "case::cl-cap-chunked-plus-1",
            "case::cl-cap-to-close-plus-1",
        ],
    ),
    (
        Fault::WaitsForTheCloseAlways,
        &["case::chunk-extra-after-end", "case::seq-poison"],
    ),
    (
        Fault::LosesABodyByte,
        &["case::base-cl", "case::base-one-byte", "contract::home"],
    ),
    (
        Fault::DropsRepeatedFields,
        &["case::hdr-set-cookie", "case::hdr-100-same"],
    ),
    (
        Fault::ReadsOneSegmentOfAHead,
        &[
            "case::base-cl",
            "case::split-status-crlf",
            "case::split-every-byte-cl",
        ],
    ),
    (
        Fault::SortsFields,
        &[
            "contract::wire-get",
            "contract::wire-head",
            "contract::wire-own-fields",
            "contract::wire-post-empty",
            "contract::wire-ipv6",
        ],
    ),
    (
        Fault::LosesTheBody,
        &["contract::upload-8MiB", "case::conn-post-echo-8MiB"],
    ),
    (Fault::SendsTheFirstPartTwice, &["contract::upload-8MiB"]),
    (
        Fault::ReusesTheUrlOfTheFirst,
        &["case::url-query-slash", "contract::wire-get"],
    ),
    (
        Fault::OnlyWritesThenReads,
        &[
            "case::conn-early-413-unread",
            "case::conn-early-100-413-unread",
        ],
    ),
    (
        Fault::IgnoresMaxInFlight,
        &["contract::in-flight-limit", "contract::in-flight-one"],
    ),
    (
        Fault::ReversesResults,
        &[
            "contract::order-of-results",
            "contract::order-with-failures",
            "contract::many-small",
        ],
    ),
    (
        Fault::NoDeadlineInTheBody,
        &[
            "contract::deadline-drip-in-body",
            "case::cl-short-keepopen",
            "case::split-too-slow-body",
        ],
    ),
    (
        Fault::DeadlinePerRead,
        &[
            "contract::deadline-drip-in-head",
            "contract::deadline-drip-in-body",
            "contract::deadline-drip-of-interim-heads",
            "case::split-too-slow-drip",
        ],
    ),
    (
        Fault::DeadlineWhileQueueing,
        &["contract::deadline-not-while-queueing"],
    ),
    (
        Fault::NeverCancels,
        &[
            "contract::cancel-closes-connections",
            "contract::cancel-while-sending",
            "contract::cancel-while-resolving",
            "contract::cancel-after-refusal",
        ],
    ),
    (
        Fault::KeepsCancelledConnections,
        &[
            "contract::cancel-closes-connections",
            "contract::home-profile-fails",
            "contract::home-orders-fail",
        ],
    ),
    (
        Fault::TakesCancelledForSuccess,
        &["contract::cancel-closes-connections"],
    ),
    (
        Fault::StartsWhatIsCancelled,
        &["contract::cancel-what-was-never-started"],
    ),
    (
        Fault::AlwaysCancelsOthers,
        &[
            "contract::finish-leaves-others-alone",
            "contract::order-with-failures",
        ],
    ),
    (
        Fault::TriesOneAddress,
        &["contract::name-dead-address-first"],
    ),
    (Fault::HomeOneAfterTheOther, &["contract::home"]),
    (
        Fault::HomeObeysMaxInFlight,
        &["contract::home-ignores-max-in-flight"],
    ),
    (
        Fault::HomeObeysOnError,
        &["contract::home-profile-fails", "contract::home-orders-fail"],
    ),
    (
        Fault::HomeReportsCancelled,
        &["contract::home-orders-fail", "contract::home-both-fail"],
    ),
];

#[test]
fn every_fault_is_found_by_each_of_its_finders() {
    // Most of the time is waiting for deadlines, so all at once.
    let runs: Vec<_> = FOUND_BY
        .iter()
        .flat_map(|&(fault, finders)| finders.iter().map(move |&name| (fault, name)))
        .map(|(fault, name)| {
            let run = thread::spawn(move || run(&Subject::new(Reference(Some(fault))), name));
            (fault, name, run)
        })
        .collect();
    let mut unfound = Vec::new();
    for (fault, name, run) in runs {
        match run.join() {
            Ok(Err(why)) => println!("{fault:?} is found by {name}: {why}"),
            other => unfound.push(format!("{name} does not find {fault:?}: {other:?}")),
        }
    }
    assert!(unfound.is_empty(), "{unfound:#?}");
}

/// The names in the table above must exist.
fn run(subject: &Subject, name: &str) -> Check {
    if let Some(id) = name.strip_prefix("case::") {
        let case = cases().iter().find(|case| case.id == id);
        return run_case(subject, case.unwrap_or_else(|| panic!("no {name}")));
    }
    let check = contract_checks()
        .into_iter()
        .find(|check| name.strip_prefix("contract::") == Some(check.name));
    (check.unwrap_or_else(|| panic!("no {name}")).run)(subject)
}
