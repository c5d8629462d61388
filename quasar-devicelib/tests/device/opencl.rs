//! Jobs on the first OpenCL device, as a rule PoCL on this machine's processor.

use crate::job::{BLOCK, Executor, Job};
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device, get_all_devices};
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::program::Program;
use opencl3::types::CL_BLOCKING;
use quasar_devicelib::device_text::Dialect;
use std::ptr::null_mut;

/// A context and a queue of a device.
pub(crate) struct OpenCl {
    context: Context,
    queue: CommandQueue,
}

impl Executor for OpenCl {
    const NAME: &'static str = "opencl";
    const DIALECT: Dialect = Dialect::OpenCl;

    fn missing() -> Option<String> {
        match get_all_devices(CL_DEVICE_TYPE_ALL) {
            Ok(devices) if !devices.is_empty() => None,
            Ok(_) => Some("no OpenCL device".to_owned()),
            Err(error) => Some(format!("no OpenCL: {error}")),
        }
    }

    fn open() -> Result<OpenCl, String> {
        let devices = get_all_devices(CL_DEVICE_TYPE_ALL).map_err(|e| e.to_string())?;
        let device = Device::new(*devices.first().ok_or("no OpenCL device")?);
        let context = Context::from_device(&device).map_err(|e| e.to_string())?;
        // SAFETY: the context holds the device, and the properties are the default ones.
        let queue = unsafe { CommandQueue::create(&context, device.id(), 0) }.map_err(|e| e.to_string())?;
        Ok(OpenCl { context, queue })
    }

    fn run(&self, text: &str, job: &Job) -> Result<Vec<Vec<u8>>, String> {
        let options = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -Werror";
        let program = Program::create_and_build_from_source(&self.context, text, options)?;
        let show = |e: opencl3::error_codes::ClError| e.to_string();
        let kernel = Kernel::create(&program, "run").map_err(show)?;
        let mut launch = ExecuteKernel::new(&kernel);
        let mut buffers = Vec::new();
        for bytes in &job.buffers {
            // SAFETY: no host memory is given; the write is blocking and the buffer has the size of the bytes.
            let buffer = unsafe {
                let mut buffer =
                    Buffer::<u8>::create(&self.context, CL_MEM_READ_WRITE, bytes.len(), null_mut())
                        .map_err(show)?;
                self.queue.enqueue_write_buffer(&mut buffer, CL_BLOCKING, 0, bytes, &[]).map_err(show)?;
                buffer
            };
            buffers.push(buffer);
        }
        for buffer in &buffers {
            // SAFETY: the parameters of a job's kernel are its buffers, in their order.
            unsafe { launch.set_arg(buffer) };
        }
        launch.set_global_work_size(job.threads.next_multiple_of(BLOCK)).set_local_work_size(BLOCK);
        // SAFETY: kernels of jobs stay inside of their buffers, which live until the reads below are done.
        unsafe { launch.enqueue_nd_range(&self.queue) }.map_err(show)?;
        self.queue.finish().map_err(show)?;
        let mut results = Vec::new();
        for (buffer, bytes) in buffers.iter().zip(&job.buffers) {
            let mut result = vec![0; bytes.len()];
            // SAFETY: the read is blocking and the buffer has the size of the bytes.
            unsafe { self.queue.enqueue_read_buffer(buffer, CL_BLOCKING, 0, &mut result, &[]) }
                .map_err(show)?;
            results.push(result);
        }
        Ok(results)
    }
}
