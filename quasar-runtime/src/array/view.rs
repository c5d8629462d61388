//! Borrowed elements of an array.

use super::buffer::{ExclusiveAccess, SharedAccess};
use quasar_devicelib::element::Element;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;

/// A guard ends the access of the thread that began it, so it may be shared but not sent, like a `MutexGuard`.
type NotSend = PhantomData<MutexGuard<'static, ()>>;

/// The elements of an array, to be read. Writers wait until it is dropped.
pub struct ReadGuard<'a, T: Element> {
    access: SharedAccess<'a, T>,
    not_send: NotSend,
}

impl<'a, T: Element> ReadGuard<'a, T> {
    pub(super) fn new(access: SharedAccess<'a, T>) -> ReadGuard<'a, T> {
        ReadGuard { access, not_send: PhantomData }
    }
}

impl<T: Element> Deref for ReadGuard<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.access.slice()
    }
}

impl<T: Element> fmt::Debug for ReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// The elements of an array, to be changed. Others wait until it is dropped.
pub struct WriteGuard<'a, T: Element> {
    access: ExclusiveAccess<'a, T>,
    not_send: NotSend,
}

impl<'a, T: Element> WriteGuard<'a, T> {
    pub(super) fn new(access: ExclusiveAccess<'a, T>) -> WriteGuard<'a, T> {
        WriteGuard { access, not_send: PhantomData }
    }
}

impl<T: Element> Deref for WriteGuard<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.access.slice()
    }
}

impl<T: Element> DerefMut for WriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.access.slice_mut()
    }
}

impl<T: Element> fmt::Debug for WriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
