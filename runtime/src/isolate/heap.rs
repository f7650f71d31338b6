//! The memory of an isolate: a budget for array buffers, which V8's heap limit does not count.
#![allow(unsafe_code, reason = "V8 asks for memory through C functions")]

use deno_core::v8;
use std::{
    ffi::c_void,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering},
    },
};

/// Bytes for the array buffers of one isolate.
pub(crate) struct Budget {
    limit: usize,
    /// What deno_core and our own code took before the script came; not the script's to pay.
    ours: AtomicUsize,
    used: AtomicUsize,
    /// A request of the script was refused.
    has_refused: AtomicBool,
    refusal: AtomicU8,
}

/// Where V8 stands with a request that is refused. It repeats the request after each of two
/// collections, then tells us that memory is short, just as when the heap is full, and asks once
/// more. The last refusal must not outlive the request: it would be taken for the reason when the
/// heap really is full.
mod refusal {
    pub(super) const NONE: u8 = 0;
    pub(super) const REPEATS: u8 = 1;
    pub(super) const LAST: u8 = 2;
}

impl Budget {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        // Without a bound until `begin`.
        let ours = AtomicUsize::new(usize::MAX);
        let used = AtomicUsize::new(0);
        let (has_refused, refusal) = (AtomicBool::new(false), AtomicU8::new(refusal::NONE));
        Arc::new(Self { limit, ours, used, has_refused, refusal })
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// An allocator that stays within the budget. V8 turns a refusal into a `RangeError`.
    pub(crate) fn allocator(self: &Arc<Self>) -> v8::UniqueRef<v8::Allocator> {
        static VTABLE: v8::RustAllocatorVtable<Budget> = v8::RustAllocatorVtable {
            allocate: allocate_zeroed,
            allocate_uninitialized: allocate,
            free,
            drop: drop_budget,
        };
        // SAFETY: the functions of the table take the pointer as what it is, and `drop_budget`
        // gives the one reference count back that `into_raw` left behind.
        unsafe { v8::new_rust_allocator(Arc::into_raw(self.clone()), &VTABLE) }
    }

    /// From now on, what is allocated is the script's.
    pub(crate) fn begin(&self) {
        self.ours.store(self.used.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Whether any request was refused.
    pub(crate) fn has_refused(&self) -> bool {
        self.has_refused.load(Ordering::Relaxed)
    }

    /// Whether V8 says that memory is short because a request is being refused, and not because
    /// the heap is full. To be asked once each time that V8 says so.
    pub(crate) fn is_refusing(&self) -> bool {
        let (repeats, last) = (refusal::REPEATS, refusal::LAST);
        let (set, seen) = (Ordering::Relaxed, Ordering::Relaxed);
        self.refusal.compare_exchange(repeats, last, set, seen).is_ok()
    }

    fn take(&self, bytes: usize) -> bool {
        let most = self.ours.load(Ordering::Relaxed).saturating_add(self.limit);
        let add = |used: usize| used.checked_add(bytes).filter(|used| *used <= most);
        let fits = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok();
        if !fits {
            self.has_refused.store(true, Ordering::Relaxed);
        }
        let next = match self.refusal.load(Ordering::Relaxed) {
            refusal::NONE | refusal::REPEATS if !fits => refusal::REPEATS,
            _ => refusal::NONE,
        };
        self.refusal.store(next, Ordering::Relaxed);
        fits
    }

    fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn allocate(&self, bytes: usize, by: impl FnOnce(usize) -> *mut c_void) -> *mut c_void {
        if !self.take(bytes) {
            return std::ptr::null_mut();
        }
        // malloc(0) may answer null, which V8 would take for a refusal.
        let memory = by(bytes.max(1));
        if memory.is_null() {
            self.give_back(bytes);
        }
        memory
    }
}

unsafe extern "C" fn allocate_zeroed(budget: &Budget, bytes: usize) -> *mut c_void {
    // SAFETY: calloc has no preconditions.
    budget.allocate(bytes, |bytes| unsafe { libc::calloc(bytes, 1) })
}

unsafe extern "C" fn allocate(budget: &Budget, bytes: usize) -> *mut c_void {
    // SAFETY: malloc has no preconditions.
    budget.allocate(bytes, |bytes| unsafe { libc::malloc(bytes) })
}

unsafe extern "C" fn free(budget: &Budget, memory: *mut c_void, bytes: usize) {
    // SAFETY: V8 frees each block once, and it came from one of the two functions above.
    unsafe { libc::free(memory) };
    budget.give_back(bytes);
}

unsafe extern "C" fn drop_budget(budget: *const Budget) {
    // SAFETY: V8 calls this once for the pointer that `into_raw` gave it.
    drop(unsafe { Arc::from_raw(budget) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_counts_what_is_alive() {
        let budget = Budget::new(10);
        assert!(budget.take(1000));
        budget.begin();
        assert!(budget.take(10));
        assert!(!budget.take(1) && budget.has_refused());
        budget.give_back(4);
        assert!(budget.take(4));
        assert!(!budget.take(usize::MAX));
    }

    #[test]
    fn a_refusal_excuses_one_shortage() {
        let budget = Budget::new(10);
        budget.begin();
        for _ in 0..3 {
            assert!(!budget.take(11));
        }
        assert!(budget.is_refusing());
        assert!(!budget.take(11));
        assert!(!budget.is_refusing() && budget.has_refused());
    }
}
