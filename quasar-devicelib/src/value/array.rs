//! Array storage: one typed vector per element type, views of it, and the trait of shared arrays.

use super::error::ValueError;
use super::mapped::mapped;
use super::{Value, shape};
use crate::element::{Element, ElementType, Scalar};
use crate::pages;
use half::f16;
use std::any::Any;
use std::sync::{Arc, PoisonError, RwLock, TryLockError};

/// Evaluates an expression with the typed vector or slice inside an [`ArrayData`], [`DataRef`] or [`DataMut`].
macro_rules! for_elements {
    ($data:expr, $kind:ident, $v:ident => $body:expr, $values:ident => $other:expr) => {
        match $data {
            $kind::I8($v) => $body,
            $kind::I16($v) => $body,
            $kind::I32($v) => $body,
            $kind::I64($v) => $body,
            $kind::U8($v) => $body,
            $kind::U16($v) => $body,
            $kind::U32($v) => $body,
            $kind::U64($v) => $body,
            $kind::F16($v) => $body,
            $kind::F32($v) => $body,
            $kind::F64($v) => $body,
            $kind::C32($v) => $body,
            $kind::C64($v) => $body,
            $kind::Values($values) => $other,
        }
    };
}
#[cfg(feature = "library")]
pub(crate) use for_elements;

/// Evaluates an expression with `$T` being the Rust type of an [`ElementType`].
macro_rules! with_element {
    ($ty:expr, $T:ident => $body:expr) => {{
        use $crate::element::ElementType as Kind;
        macro_rules! body {
            ($rust:ty) => {{
                type $T = $rust;
                $body
            }};
        }
        match $ty {
            Kind::Int8 => body!(i8),
            Kind::Int16 => body!(i16),
            Kind::Int32 => body!(i32),
            Kind::Int64 => body!(i64),
            Kind::UInt8 => body!(u8),
            Kind::UInt16 => body!(u16),
            Kind::UInt32 => body!(u32),
            Kind::UInt64 => body!(u64),
            Kind::Half => body!(half::f16),
            Kind::Single => body!(f32),
            Kind::Double => body!(f64),
            Kind::ComplexSingle => body!(num_complex::Complex<f32>),
            Kind::ComplexDouble => body!(num_complex::Complex<f64>),
        }
    }};
}
#[cfg(feature = "library")]
pub(crate) use with_element;

/// The same for a type that `promote` gives: nothing is compiled for integers below 32 bits, which became `int`. The results of
/// `uint64` may be computed in a type that has the same bits.
macro_rules! with_promoted {
    ($ty:expr, $T:ident => $body:expr) => {
        $crate::value::array::with_promoted!($ty, u64, $T => $body)
    };
    ($ty:expr, $uint64:ty, $T:ident => $body:expr) => {{
        use $crate::element::ElementType as Kind;
        macro_rules! body {
            ($rust:ty) => {{
                type $T = $rust;
                $body
            }};
        }
        match $ty {
            Kind::Int8 | Kind::Int16 | Kind::UInt8 | Kind::UInt16 | Kind::UInt32 | Kind::Int32 => body!(i32),
            Kind::Int64 => body!(i64),
            Kind::UInt64 => body!($uint64),
            Kind::Half => body!(half::f16),
            Kind::Single => body!(f32),
            Kind::Double => body!(f64),
            Kind::ComplexSingle => body!(num_complex::Complex<f32>),
            Kind::ComplexDouble => body!(num_complex::Complex<f64>),
        }
    }};
}
pub(crate) use with_promoted;

macro_rules! storage {
    ($($variant:ident = $rust:ty => $element:ident),*) => {
        /// The elements of an array in row-major order.
        #[derive(Debug)]
        pub enum ArrayData {
            $(#[doc = concat!("Elements of type `", stringify!($rust), "`.")] $variant(Vec<$rust>),)*
            /// Elements of a cell, strings, objects.
            Values(Vec<Value>),
        }

        /// Borrowed elements of an array in row-major order.
        #[derive(Clone, Copy, Debug)]
        pub enum DataRef<'a> {
            $(#[doc = concat!("Elements of type `", stringify!($rust), "`.")] $variant(&'a [$rust]),)*
            /// Elements of a cell, strings, objects.
            Values(&'a [Value]),
        }

        /// Mutably borrowed elements of an array in row-major order.
        #[derive(Debug)]
        pub enum DataMut<'a> {
            $(#[doc = concat!("Elements of type `", stringify!($rust), "`.")] $variant(&'a mut [$rust]),)*
            /// Elements of a cell, strings, objects.
            Values(&'a mut [Value]),
        }

        impl ArrayData {
            /// The type of the elements; none for a cell.
            pub fn element_type(&self) -> Option<ElementType> {
                self.view().element_type()
            }

            /// A borrow of the elements.
            pub fn view(&self) -> DataRef<'_> {
                match self {
                    $(ArrayData::$variant(v) => DataRef::$variant(v),)*
                    ArrayData::Values(v) => DataRef::Values(v),
                }
            }

            /// A mutable borrow of the elements.
            pub fn view_mut(&mut self) -> DataMut<'_> {
                match self {
                    $(ArrayData::$variant(v) => DataMut::$variant(v),)*
                    ArrayData::Values(v) => DataMut::Values(v),
                }
            }
        }

        impl<'a> DataRef<'a> {
            /// The type of the elements; none for a cell.
            pub fn element_type(&self) -> Option<ElementType> {
                match self {
                    $(DataRef::$variant(_) => Some(ElementType::$element),)*
                    DataRef::Values(_) => None,
                }
            }

            /// A part of the elements, empty if it is not inside.
            pub fn part(&self, range: std::ops::Range<usize>) -> DataRef<'a> {
                match self {
                    $(DataRef::$variant(v) => DataRef::$variant(v.get(range).unwrap_or(&[])),)*
                    DataRef::Values(v) => DataRef::Values(v.get(range).unwrap_or(&[])),
                }
            }
        }

        $(impl ArrayElement for $rust {
            fn slice<'a>(data: DataRef<'a>) -> Option<&'a [Self]> {
                match data {
                    DataRef::$variant(v) => Some(v),
                    _ => None,
                }
            }

            fn slice_mut<'a>(data: DataMut<'a>) -> Option<&'a mut [Self]> {
                match data {
                    DataMut::$variant(v) => Some(v),
                    _ => None,
                }
            }

            fn wrap(elements: Vec<Self>) -> ArrayData {
                ArrayData::$variant(elements)
            }

            fn unwrap(data: ArrayData) -> Result<Vec<Self>, ArrayData> {
                match data {
                    ArrayData::$variant(v) => Ok(v),
                    other => Err(other),
                }
            }

            fn view(elements: &[Self]) -> DataRef<'_> {
                DataRef::$variant(elements)
            }

            fn view_mut(elements: &mut [Self]) -> DataMut<'_> {
                DataMut::$variant(elements)
            }
        })*
    };
}
for_each_element!(storage);

/// An element type that arrays store directly.
pub trait ArrayElement: Element {
    /// The elements if they have this type.
    fn slice(data: DataRef<'_>) -> Option<&[Self]>;
    /// The elements if they have this type.
    fn slice_mut(data: DataMut<'_>) -> Option<&mut [Self]>;
    /// Elements as array storage.
    fn wrap(elements: Vec<Self>) -> ArrayData;
    /// The elements if they have this type, otherwise the storage unchanged.
    fn unwrap(data: ArrayData) -> Result<Vec<Self>, ArrayData>;
    /// Borrowed elements as borrowed storage.
    fn view(elements: &[Self]) -> DataRef<'_>;
    /// Mutably borrowed elements as borrowed storage.
    fn view_mut(elements: &mut [Self]) -> DataMut<'_>;
}

/// Room for `count` elements, or an error.
pub fn reserve<T>(count: usize) -> Result<Vec<T>, ValueError> {
    let mut elements = Vec::new();
    elements
        .try_reserve_exact(count)
        .map_err(|_| ValueError::out_of_memory(count, count.checked_mul(size_of::<T>())))?;
    pages::advise(elements.as_ptr(), count * size_of::<T>());
    Ok(elements)
}

/// `count` copies of `x`, or an error.
pub fn filled<T: Clone>(x: T, count: usize) -> Result<Vec<T>, ValueError> {
    let mut elements = reserve(count)?;
    elements.resize(count, x);
    Ok(elements)
}

/// Collects an iterator of known length, or an error.
pub fn collect<T>(count: usize, items: impl Iterator<Item = T>) -> Result<Vec<T>, ValueError> {
    let mut elements = reserve(count)?;
    elements.extend(items);
    Ok(elements)
}

/// Collects an iterator of known length whose items may fail, or an error.
pub fn try_collect<T, E: From<ValueError>>(
    count: usize,
    items: impl Iterator<Item = Result<T, E>>,
) -> Result<Vec<T>, E> {
    let mut elements = reserve(count)?;
    for item in items {
        elements.push(item?);
    }
    Ok(elements)
}

/// A copy of a slice, or an error.
pub fn duplicate<T: Clone>(items: &[T]) -> Result<Vec<T>, ValueError> {
    let mut elements = reserve(items.len())?;
    elements.extend_from_slice(items);
    Ok(elements)
}

impl ArrayData {
    /// `count` copies of one number.
    pub fn filled(x: Scalar, count: usize) -> Result<ArrayData, ValueError> {
        macro_rules! arms {
            ($($variant:ident = $rust:ty => $element:ident),*) => {
                match x { $(Scalar::$variant(x) => ArrayData::$variant(filled(x, count)?),)* }
            };
        }
        Ok(for_each_element!(arms))
    }

    /// `count` zeros.
    pub fn zeros(ty: ElementType, count: usize) -> Result<ArrayData, ValueError> {
        Self::filled(Scalar::zero(ty), count)
    }

    /// Numbers of one type, which is the type of the first; numbers of other types make it fail.
    pub fn from_scalars(ty: ElementType, items: &[Scalar]) -> Result<ArrayData, ValueError> {
        fn typed<T: ArrayElement>(items: &[Scalar]) -> Result<ArrayData, ValueError> {
            let mut elements = reserve(items.len())?;
            for &item in items {
                elements.push(T::from_scalar(item).ok_or_else(|| {
                    ValueError::wrong_type("array element", T::TYPE.name(), item.element_type().name())
                })?);
            }
            Ok(T::wrap(elements))
        }
        with_element!(ty, T => typed::<T>(items))
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.view().len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a> DataRef<'a> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        for_elements!(self, DataRef, v => v.len(), v => v.len())
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One number; none outside and for cells.
    pub fn scalar(&self, i: usize) -> Option<Scalar> {
        for_elements!(self, DataRef, v => v.get(i).map(|x| x.to_scalar()), _v => None)
    }

    /// One element.
    pub fn value(&self, i: usize) -> Option<Value> {
        for_elements!(self, DataRef, v => v.get(i).map(|x| Value::Scalar(x.to_scalar())), v => v.get(i).cloned())
    }

    /// Each element as a value.
    pub fn to_values(&self) -> Result<Vec<Value>, ValueError> {
        collect(self.len(), (0..self.len()).map(|i| self.value(i).unwrap_or(Value::Null)))
    }

    /// A copy of all elements.
    pub fn to_data(&self) -> Result<ArrayData, ValueError> {
        fn typed<T: ArrayElement>(v: &[T]) -> Result<ArrayData, ValueError> {
            Ok(T::wrap(duplicate(v)?))
        }
        for_elements!(self, DataRef, v => typed(v), v => Ok(ArrayData::Values(duplicate(v)?)))
    }

    /// The elements at the given places, which must be inside.
    pub fn gather(&self, places: &[usize]) -> Result<ArrayData, ValueError> {
        fn typed<T: ArrayElement>(v: &[T], places: &[usize]) -> Result<ArrayData, ValueError> {
            Ok(T::wrap(mapped(places, |i| v.get(i).copied().unwrap_or_default())?))
        }
        for_elements!(self, DataRef, v => typed(v, places), v => {
            let items = places.iter().map(|&i| v.get(i).cloned().unwrap_or(Value::Null));
            Ok(ArrayData::Values(collect(places.len(), items)?))
        })
    }
}

/// An array that owns its elements. Row-major; there is at least one dimension.
#[derive(Debug)]
pub struct ArrayBuf {
    /// The extents.
    pub dims: Vec<usize>,
    /// The elements.
    pub data: ArrayData,
}

/// A borrowed array.
#[derive(Clone, Copy, Debug)]
pub struct ArrayRef<'a> {
    /// The extents.
    pub dims: &'a [usize],
    /// The elements.
    pub data: DataRef<'a>,
}

/// A mutably borrowed array.
#[derive(Debug)]
pub struct ArrayMut<'a> {
    /// The extents.
    pub dims: &'a [usize],
    /// The elements.
    pub data: DataMut<'a>,
}

impl ArrayBuf {
    /// An array with the given elements; their number must be the product of the extents.
    pub fn new(dims: Vec<usize>, data: ArrayData) -> Result<ArrayBuf, ValueError> {
        let dims = if dims.is_empty() { vec![1] } else { dims };
        let count = shape::count(&dims)?;
        if count != data.len() {
            let text =
                format!("{} elements do not fill an array of size {}", data.len(), shape::dims_text(&dims));
            return Err(ValueError::shape(text));
        }
        Ok(ArrayBuf { dims, data })
    }

    /// An array of zeros.
    pub fn zeros(dims: Vec<usize>, ty: ElementType) -> Result<ArrayBuf, ValueError> {
        let count = shape::count(&dims)?;
        ArrayBuf::new(dims, ArrayData::zeros(ty, count)?)
    }

    /// An array of copies of one number.
    pub fn filled(dims: Vec<usize>, x: Scalar) -> Result<ArrayBuf, ValueError> {
        let count = shape::count(&dims)?;
        ArrayBuf::new(dims, ArrayData::filled(x, count)?)
    }

    /// A vec.
    pub fn vec<T: ArrayElement>(elements: Vec<T>) -> ArrayBuf {
        ArrayBuf { dims: vec![elements.len()], data: T::wrap(elements) }
    }

    /// A vector of positions, sizes and the like.
    pub fn ints(items: impl IntoIterator<Item = usize>) -> ArrayBuf {
        ArrayBuf::vec(items.into_iter().map(|n| i32::try_from(n).unwrap_or(i32::MAX)).collect::<Vec<_>>())
    }

    /// A borrow of the array.
    pub fn view(&self) -> ArrayRef<'_> {
        ArrayRef { dims: &self.dims, data: self.data.view() }
    }
}

impl ArrayRef<'_> {
    /// A copy of the array.
    pub fn to_buf(&self) -> Result<ArrayBuf, ValueError> {
        ArrayBuf::new(self.dims.to_vec(), self.data.to_data()?)
    }
}

/// A shared array: clones of its handle are the same array.
pub trait ArrayObject: Any + Send + Sync {
    /// The extents.
    fn dims(&self) -> Vec<usize>;
    /// The type of the elements; none for a cell.
    fn element_type(&self) -> Option<ElementType>;
    /// Calls `f` once with the elements. `f` must not write to this array.
    fn read(&self, f: &mut dyn FnMut(ArrayRef<'_>));
    /// Calls `f` once with the elements. `f` must not touch this array otherwise.
    fn write(&self, f: &mut dyn FnMut(ArrayMut<'_>));
    /// Brings the elements to where [`ArrayObject::read`] finds them. Who reads several arrays does so before, in an order that does not
    /// depend on addresses: other processes may have to do the same.
    fn prepare(&self) -> Result<(), ValueError> {
        Ok(())
    }
    /// An error if the elements cannot be changed, where [`ArrayObject::write`] would panic.
    fn check_changeable(&self) -> Result<(), ValueError> {
        Ok(())
    }
    /// The same elements under other dimensions with as many of them; without copying any.
    fn reshaped(self: Arc<Self>, dims: Vec<usize>) -> Result<Arc<dyn ArrayObject>, ValueError>;
    /// What tells arrays apart: everything that names the same elements has the same number.
    fn storage(&self) -> usize;
    /// Whether the elements are the answers of a comparison, so that an index takes them for the places where they are not 0.
    fn is_mask(&self) -> bool {
        false
    }
    /// The array that a mask names, as numbers 0 and 1.
    fn unmasked(&self) -> Option<Arc<dyn ArrayObject>> {
        None
    }
    /// Takes the elements of a cell out where nothing else names them, since dropping them in place would recurse.
    fn take_items(&mut self) -> Vec<Value> {
        Vec::new()
    }
}

/// An array that is known to be a mask. It names the elements of the other one.
pub struct Mask(Arc<dyn ArrayObject>);

impl Mask {
    /// The array as a mask; nothing happens to cells and to arrays that are masks already.
    pub fn of(array: Arc<dyn ArrayObject>) -> Arc<dyn ArrayObject> {
        if array.is_mask() || array.element_type().is_none() { array } else { Arc::new(Mask(array)) }
    }
}

impl ArrayObject for Mask {
    fn dims(&self) -> Vec<usize> {
        self.0.dims()
    }

    fn element_type(&self) -> Option<ElementType> {
        self.0.element_type()
    }

    fn read(&self, f: &mut dyn FnMut(ArrayRef<'_>)) {
        self.0.read(f);
    }

    fn write(&self, f: &mut dyn FnMut(ArrayMut<'_>)) {
        self.0.write(f);
    }

    fn check_changeable(&self) -> Result<(), ValueError> {
        self.0.check_changeable()
    }

    fn reshaped(self: Arc<Self>, dims: Vec<usize>) -> Result<Arc<dyn ArrayObject>, ValueError> {
        Arc::clone(&self.0).reshaped(dims).map(Mask::of)
    }

    fn prepare(&self) -> Result<(), ValueError> {
        self.0.prepare()
    }

    fn storage(&self) -> usize {
        self.0.storage()
    }

    fn is_mask(&self) -> bool {
        true
    }

    fn unmasked(&self) -> Option<Arc<dyn ArrayObject>> {
        Some(Arc::clone(&self.0))
    }
}

/// Calls `f` with the elements of an array and passes on its result.
pub fn read<R>(array: &dyn ArrayObject, f: impl FnOnce(ArrayRef<'_>) -> R) -> R {
    let mut f = Some(f);
    let mut result = None;
    array.read(&mut |view| result = f.take().map(|f| f(view)));
    match result {
        Some(result) => result,
        None => unreachable!("an ArrayObject calls its reader once"),
    }
}

/// Calls `f` with the elements of two arrays. The first to be locked is the one whose storage has the lower address, as for all
/// who need several arrays: two threads that need the same ones never wait for each other.
pub fn read_both<R>(
    a: &dyn ArrayObject,
    b: &dyn ArrayObject,
    f: impl FnOnce(ArrayRef<'_>, ArrayRef<'_>) -> R,
) -> R {
    // What goes wrong is said where they are read.
    let _ = (a.prepare(), b.prepare());
    if b.storage() < a.storage() {
        return read(b, |of_b| read(a, |of_a| f(of_a, of_b)));
    }
    read(a, |of_a| read(b, |of_b| f(of_a, of_b)))
}

/// Calls `f` with the elements of an array and passes on its result.
pub fn write<R>(array: &dyn ArrayObject, f: impl FnOnce(ArrayMut<'_>) -> R) -> R {
    let mut f = Some(f);
    let mut result = None;
    array.write(&mut |view| result = f.take().map(|f| f(view)));
    match result {
        Some(result) => result,
        None => unreachable!("an ArrayObject calls its writer once"),
    }
}

/// The values that an array holds; none if it holds numbers.
pub(super) fn values(array: ArrayRef<'_>) -> Vec<Value> {
    match array.data {
        DataRef::Values(items) => items.to_vec(),
        _ => Vec::new(),
    }
}

/// The default array object: a buffer behind a lock, which arrays of other dimensions may share.
#[derive(Debug)]
pub struct SharedArray {
    dims: Vec<usize>,
    element_type: Option<ElementType>,
    data: Arc<RwLock<ArrayData>>,
}

impl SharedArray {
    /// Shares an array.
    pub fn new(array: ArrayBuf) -> Arc<SharedArray> {
        let element_type = array.data.element_type();
        Arc::new(SharedArray { dims: array.dims, element_type, data: Arc::new(RwLock::new(array.data)) })
    }

    /// The values that the array holds, none if it holds numbers. Nothing if somebody changes them right now.
    pub(super) fn items_now(&self) -> Option<Vec<Value>> {
        let data = match self.data.try_read() {
            Ok(data) => data,
            Err(TryLockError::Poisoned(data)) => data.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(values(ArrayRef { dims: &self.dims, data: data.view() }))
    }

    /// The array itself, where nothing else names its elements.
    pub fn into_buf(mut self: Arc<Self>) -> Result<ArrayBuf, Arc<Self>> {
        let Some(own) = Arc::get_mut(&mut self) else { return Err(self) };
        let Some(data) = Arc::get_mut(&mut own.data) else { return Err(self) };
        let data = data.get_mut().unwrap_or_else(PoisonError::into_inner);
        Ok(ArrayBuf {
            dims: std::mem::take(&mut own.dims),
            data: std::mem::replace(data, ArrayData::Values(Vec::new())),
        })
    }
}

impl Drop for SharedArray {
    fn drop(&mut self) {
        super::release(ArrayObject::take_items(self));
    }
}

impl ArrayObject for SharedArray {
    fn dims(&self) -> Vec<usize> {
        self.dims.clone()
    }

    fn element_type(&self) -> Option<ElementType> {
        self.element_type
    }

    fn read(&self, f: &mut dyn FnMut(ArrayRef<'_>)) {
        let data = self.data.read().unwrap_or_else(PoisonError::into_inner);
        f(ArrayRef { dims: &self.dims, data: data.view() });
    }

    fn write(&self, f: &mut dyn FnMut(ArrayMut<'_>)) {
        let mut data = self.data.write().unwrap_or_else(PoisonError::into_inner);
        f(ArrayMut { dims: &self.dims, data: data.view_mut() });
    }

    fn reshaped(self: Arc<Self>, dims: Vec<usize>) -> Result<Arc<dyn ArrayObject>, ValueError> {
        if self.dims == dims {
            return Ok(self);
        }
        let count = shape::count(&dims)?;
        if count != shape::count(&self.dims)? || dims.is_empty() {
            return Err(ValueError::dimensions(&self.dims, &dims));
        }
        Ok(Arc::new(SharedArray { dims, element_type: self.element_type, data: Arc::clone(&self.data) }))
    }

    fn storage(&self) -> usize {
        Arc::as_ptr(&self.data).cast::<()>() as usize
    }

    fn take_items(&mut self) -> Vec<Value> {
        match Arc::get_mut(&mut self.data).map(|data| data.get_mut().unwrap_or_else(PoisonError::into_inner))
        {
            Some(ArrayData::Values(items)) => std::mem::take(items),
            _ => Vec::new(),
        }
    }
}
