//! The stack bounds of the calling thread, as the operating system reports them.

#![allow(unsafe_code, reason = "the system is asked about its stacks")]

/// The lowest address of the stack; `None` if the system does not report it.
#[cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]
pub(super) fn lowest() -> Option<usize> {
    let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut address, mut size, mut guard) = (std::ptr::null_mut(), 0, 0);
    // SAFETY: the attributes are initialised by the first call if it succeeds, read by the two after it, and destroyed.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        let known = libc::pthread_attr_getstack(attributes.as_ptr(), &mut address, &mut size) == 0
            && libc::pthread_attr_getguardsize(attributes.as_ptr(), &mut guard) == 0;
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        // The guard lies inside or below, depending on the version of the library. An unlimited stack grows as far as
        // neighbouring mappings permit.
        const MOST: usize = 64 << 20;
        let skipped = size.saturating_sub(MOST);
        known.then_some(address as usize + guard + skipped)
    }
}

/// The lowest address of the stack; `None` if the system does not report it.
#[cfg(all(target_vendor = "apple", not(miri)))]
pub(super) fn lowest() -> Option<usize> {
    // SAFETY: both ask about the calling thread, which lives.
    let (top, size) = unsafe {
        let thread = libc::pthread_self();
        (libc::pthread_get_stackaddr_np(thread) as usize, libc::pthread_get_stacksize_np(thread))
    };
    top.checked_sub(size)
}

/// The lowest address of the stack; `None` if the system does not report it.
#[cfg(any(miri, not(any(target_os = "linux", target_os = "android", target_vendor = "apple"))))]
pub(super) fn lowest() -> Option<usize> {
    None
}
