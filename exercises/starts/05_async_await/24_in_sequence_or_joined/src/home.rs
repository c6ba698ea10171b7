//! Yours.

use fetch_core::FetchError;

use crate::get;

/// The page that both articles load.
#[derive(Debug, Clone)]
pub struct Home {
    /// Who the user is.
    pub profile: String,
    /// What the user has bought.
    pub orders: String,
}

/// Loads the page of whoever is logged in. `origin` is a URL without a path.
///
/// The server says first where that user is found: it answers `/case/whoami`
/// with a path such as `/users/42`. Below that path are `/profile` and
/// `/orders`, and neither needs anything of the other.
///
/// # Errors
///
/// An error of one of the three fetches.
pub async fn load_home(origin: &str) -> Result<Home, FetchError> {
    let user = get(format!("{origin}/case/whoami")).await?;

    // Start both requests ...
    let profile = get(format!("{origin}{user}/profile"));
    let orders = get(format!("{origin}{user}/orders"));
    // ... and then wait for their responses.
    let profile = profile.await?;
    let orders = orders.await?;
    Ok(Home { profile, orders })
}
