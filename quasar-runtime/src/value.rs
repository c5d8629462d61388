//! Typed arrays as dynamic values and back, without copying elements where they are ours or nobody else's.

use crate::array::{Array, ArrayBody, Shape};
use crate::error::{Error, Result};
use half::f16;
use num_complex::Complex;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::{
    ArrayBuf, ArrayData, ArrayElement, ArrayMut, ArrayObject, ArrayRef, SharedArray, Value, ValueError,
    array, array_kind,
};
use std::any::Any;
use std::sync::Arc;

impl<T: ArrayElement> ArrayObject for ArrayBody<T> {
    fn dims(&self) -> Vec<usize> {
        self.shape.dims().to_vec()
    }

    fn element_type(&self) -> Option<ElementType> {
        Some(T::TYPE)
    }

    fn read(&self, f: &mut dyn FnMut(ArrayRef<'_>)) {
        let elements = self.read();
        f(ArrayRef { dims: self.shape.dims(), data: T::view(&elements) });
    }

    fn write(&self, f: &mut dyn FnMut(ArrayMut<'_>)) {
        let mut elements = self.write();
        f(ArrayMut { dims: self.shape.dims(), data: T::view_mut(&mut elements) });
    }

    fn prepare(&self) -> std::result::Result<(), ValueError> {
        ArrayBody::gather(self).map_err(ValueError::from)
    }

    fn check_changeable(&self) -> std::result::Result<(), ValueError> {
        ArrayBody::check_changeable(self).map_err(ValueError::from)
    }

    fn reshaped(self: Arc<Self>, dims: Vec<usize>) -> std::result::Result<Arc<dyn ArrayObject>, ValueError> {
        let size = self.shape;
        match Array::from_body(self).reshape(&dims) {
            Ok(array) => Ok(array.body()),
            Err(_) => Err(ValueError::dimensions(size.dims(), &dims)),
        }
    }

    fn storage(&self) -> usize {
        self.buffer_address()
    }
}

/// The same array object with its own type, if it has type `B`.
fn downcast<B: ArrayObject>(object: Arc<dyn ArrayObject>) -> Result<Arc<B>, Arc<dyn ArrayObject>> {
    let itself: &dyn Any = &*object;
    if !itself.is::<B>() {
        return Err(object);
    }
    let any: Arc<dyn Any + Send + Sync> = object;
    match any.downcast::<B>() {
        Ok(found) => Ok(found),
        Err(_) => unreachable!("its type was compared"),
    }
}

impl<T: ArrayElement> Array<T> {
    /// The array as a dynamic value, which names the same elements.
    pub fn to_value(&self) -> Value {
        Value::Array(self.body() as Arc<dyn ArrayObject>)
    }

    /// The array in a dynamic value with elements of type `T`.
    ///
    /// The elements stay where they are if the value came from [`Array::to_value`], and are moved if the value is the
    /// only owner of a fresh array. Otherwise they are copied.
    pub fn from_value(value: Value) -> Result<Array<T>> {
        let object = match value.without_mask() {
            Value::Array(object) if object.element_type() == Some(T::TYPE) => object,
            other => return Err(wrong_type::<T>(&other)),
        };
        let object = match downcast::<ArrayBody<T>>(object) {
            Ok(body) => return Ok(Array::from_body(body)),
            Err(object) => object,
        };
        let buf = match downcast::<SharedArray>(object) {
            Ok(shared) => match shared.into_buf() {
                Ok(owned) => owned,
                Err(shared) => array::read(&*shared, |view| view.to_buf())?,
            },
            Err(object) => array::read(&*object, |view| view.to_buf())?,
        };
        Array::from_buf(buf)
    }

    /// The array that a value names, if it is one of ours with elements of type `T`.
    pub(crate) fn named_by(value: &Value) -> Option<Array<T>> {
        let Value::Array(object) = value else { return None };
        let object = &object.unmasked().unwrap_or_else(|| Arc::clone(object));
        if object.element_type() != Some(T::TYPE) {
            return None;
        }
        downcast::<ArrayBody<T>>(Arc::clone(object)).ok().map(Array::from_body)
    }

    /// An array from owned storage, which is moved in.
    pub fn from_buf(buf: ArrayBuf) -> Result<Array<T>> {
        match T::unwrap(buf.data) {
            Ok(elements) => Array::from_vec(&buf.dims, elements),
            Err(data) => {
                let value = Value::from(ArrayBuf { dims: buf.dims, data });
                Err(wrong_type::<T>(&value))
            }
        }
    }
}

#[cold]
fn wrong_type<T: ArrayElement>(found: &Value) -> Error {
    let rank = found.dims().len().max(1);
    Error::wrong_type(format!("expected {}, found {}", array_kind(rank, Some(T::TYPE)), found.kind()))
}

impl<T: ArrayElement> From<&Array<T>> for Value {
    fn from(array: &Array<T>) -> Value {
        array.to_value()
    }
}

impl<T: ArrayElement> From<Array<T>> for Value {
    fn from(array: Array<T>) -> Value {
        array.to_value()
    }
}

impl<T: ArrayElement> TryFrom<Value> for Array<T> {
    type Error = Error;

    fn try_from(value: Value) -> Result<Array<T>> {
        Array::from_value(value)
    }
}

/// The same value with fresh arrays of numbers moved into arrays of the run-time system, so that later conversions
/// to [`Array`] name the same elements instead of copying them.
pub fn adopt(value: Value) -> Value {
    match value {
        Value::Array(object) => match downcast::<SharedArray>(object) {
            Ok(shared) => match shared.into_buf() {
                Ok(owned) => adopt_buf(owned),
                Err(shared) => Value::Array(shared),
            },
            Err(object) => Value::Array(object),
        },
        Value::Tuple(mut items) => {
            if let Some(items) = Arc::get_mut(&mut items) {
                for item in items {
                    *item = adopt(std::mem::take(item));
                }
            }
            Value::Tuple(items)
        }
        other => other,
    }
}

/// A new array as a value.
pub(crate) fn uninit(ty: ElementType, dims: &[usize]) -> Result<Value> {
    macro_rules! typed {
        ($($element:ident $rust:ty),*) => {
            match ty { $(ElementType::$element => Array::<$rust>::uninit(dims).map(|array| array.to_value()),)* }
        };
    }
    typed!(
        Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64, Half f16, Single f32,
        Double f64, ComplexSingle Complex<f32>, ComplexDouble Complex<f64>
    )
}

fn adopt_buf(buf: ArrayBuf) -> Value {
    macro_rules! typed {
        ($($variant:ident)*) => {
            match buf.data {
                $(ArrayData::$variant(elements) => match Array::from_vec(&buf.dims, elements) {
                    Ok(array) => array.to_value(),
                    Err(_) => Value::Unit,
                },)*
                ArrayData::Values(items) => {
                    // In place: the items move within their own storage.
                    let data = ArrayData::Values(items.into_iter().map(adopt).collect());
                    ArrayBuf { dims: buf.dims, data }.into()
                }
            }
        };
    }
    match Shape::new(&buf.dims) {
        Ok(shape) if shape.count() == buf.data.len() => {
            typed!(I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 C32 C64)
        }
        _ => buf.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_arrays_come_back_as_themselves() {
        let a = Array::from_vec(&[2], vec![1.0f32, 2.0]).unwrap();
        let value = a.to_value();
        assert!(value.is_identical(&a.clone().to_value()));
        let b = Array::<f32>::from_value(value).unwrap();
        b.set(&[0], 7.0).unwrap();
        assert_eq!(a.to_vec(), [7.0, 2.0]);
        assert!(a.same_buffer(&b));
    }

    #[test]
    fn fresh_results_are_moved_and_shared_ones_copied() {
        let elements = vec![1i32, 2, 3];
        let address = elements.as_ptr();
        let value = Value::from(ArrayBuf::vec(elements));
        let other = value.clone();
        let copied = Array::<i32>::from_value(other).unwrap();
        assert_ne!(copied.read().as_ptr(), address);
        let moved = Array::<i32>::from_value(value).unwrap();
        assert_eq!(moved.read().as_ptr(), address);
    }

    #[test]
    fn adopted_results_keep_their_identity() {
        let value = adopt(Value::Tuple([Value::from(ArrayBuf::vec(vec![1u8, 2])), Value::int(3)].into()));
        let Value::Tuple(items) = &value else { panic!("a tuple stays one") };
        let a = Array::<u8>::from_value(items[0].clone()).unwrap();
        let b = Array::<u8>::from_value(items[0].clone()).unwrap();
        assert!(a.same_buffer(&b));
        let cell = adopt(Value::cell(vec![Value::Null]));
        assert!(cell.is_cell());
    }

    #[test]
    fn other_types_are_named() {
        let value = Value::from(ArrayBuf::vec(vec![1i32]));
        let error = Array::<f32>::from_value(value).unwrap_err();
        assert_eq!(error.to_string(), "expected vec, found ivec");
        let error = Array::<f32>::from_value(Value::int(1)).unwrap_err();
        assert_eq!(error.to_string(), "expected vec, found int");
    }

    #[test]
    fn an_object_around_another_is_not_mistaken_for_it() {
        /// As large as what it wraps, at the same address, and with a will of its own.
        struct Wrapper(SharedArray);
        impl ArrayObject for Wrapper {
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
            fn reshaped(
                self: Arc<Self>,
                _dims: Vec<usize>,
            ) -> std::result::Result<Arc<dyn ArrayObject>, ValueError> {
                Ok(self)
            }
            fn storage(&self) -> usize {
                self.0.storage()
            }
        }
        let inner = Arc::into_inner(SharedArray::new(ArrayBuf::vec(vec![1u8, 2]))).unwrap();
        let wrapper: Arc<dyn ArrayObject> = Arc::new(Wrapper(inner));
        assert!(downcast::<SharedArray>(Arc::clone(&wrapper)).is_err());
        assert!(downcast::<ArrayBody<u8>>(Arc::clone(&wrapper)).is_err());
        assert!(downcast::<Wrapper>(Arc::clone(&wrapper)).is_ok());
        assert_eq!(Array::<u8>::from_value(Value::Array(wrapper)).unwrap().to_vec(), [1, 2]);
    }
}
