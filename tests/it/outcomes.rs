//! Every way in which a run ends, in both isolations: the outcome, what is kept, and that the host
//! goes on.
