//! The ways in which the reference stage can be broken.

#![allow(
    dead_code,
    reason = "each test program of this crate breaks it in some of them"
)]

/// One way to be wrong, such as real clients have been.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    // What a response means.
    AcceptsASignInALength,
    TakesAnInterimHeadForFinal,
    TakesTheEndForSuccess,
    TakesAResetForSuccess,
    HasNoCap,
    WaitsForTheCloseAlways,
    LosesABodyByte,
    DropsRepeatedFields,
    ReadsOneSegmentOfAHead,
    // What is sent.
    SortsFields,
    LosesTheBody,
    ReusesTheUrlOfTheFirst,
    OnlyWritesThenReads,
    SendsTheFirstPartTwice,
    // When, and how many.
    IgnoresMaxInFlight,
    ReversesResults,
    NoDeadlineInTheBody,
    DeadlinePerRead,
    DeadlineWhileQueueing,
    // Cancelling.
    NeverCancels,
    KeepsCancelledConnections,
    TakesCancelledForSuccess,
    StartsWhatIsCancelled,
    AlwaysCancelsOthers,
    // Names.
    TriesOneAddress,
    DeadlinePerAddress,
    // Home.
    HomeOneAfterTheOther,
    HomeObeysMaxInFlight,
    HomeObeysOnError,
    HomeReportsCancelled,
    // What is left behind.
    LeaksDescriptors,
    LeaksThreads,
}
