//! Compiled kernels on disk, so that the next process need not compile them.
//!
//! The cache can only save time: whatever goes wrong with it (no folder, no rights, a full disk, a file cut short) counts
//! and is otherwise like an image that is not there.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

/// Begins every file.
const MAGIC: &[u8; 8] = b"QSRIMG01";
/// Magic, key, checksum, length.
const HEADER: usize = 8 + 16 + 16 + 8;
const ENDING: &str = "image";
const TEMPORARY: &str = "tmp";
/// A temporary file of this age belongs to a process that died.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Names an image: a digest of everything that it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageKey(u128);

impl ImageKey {
    /// The key of an image made from these parts, in this order.
    pub fn of(parts: &[&[u8]]) -> ImageKey {
        let mut digest = Digest::new();
        for part in parts {
            // With the length, no two lists of parts are the same bytes.
            digest.add(&(part.len() as u64).to_le_bytes());
            digest.add(part);
        }
        ImageKey(digest.0)
    }

    /// The key of an image that depends on one thing more.
    #[must_use]
    pub fn with(self, part: &[u8]) -> ImageKey {
        ImageKey::of(&[&self.0.to_le_bytes(), part])
    }

    /// The key of the image that a file of a cache holds.
    pub fn from_file_name(path: &Path) -> Option<ImageKey> {
        let digits = path.file_stem()?.to_str()?;
        u128::from_str_radix(digits, 16).ok().map(ImageKey)
    }
}

/// The hash FNV-1a of 128 bits.
struct Digest(u128);

impl Digest {
    const fn new() -> Digest {
        Digest(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    fn add(&mut self, bytes: &[u8]) {
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }
}

/// How often the cache did what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImageCounts {
    /// Images found.
    pub hits: u64,
    /// Images looked for and not there.
    pub misses: u64,
    /// Images written.
    pub stored: u64,
    /// Files that were not what they should be; they are removed.
    pub broken: u64,
    /// Images given up to stay below the size limit.
    pub removed: u64,
    /// Images that could not be written.
    pub failed: u64,
}

#[derive(Debug, Default)]
struct Counts {
    hits: AtomicU64,
    misses: AtomicU64,
    stored: AtomicU64,
    broken: AtomicU64,
    removed: AtomicU64,
    failed: AtomicU64,
}

/// See the module.
#[derive(Debug)]
pub struct ImageCache {
    folder: Option<PathBuf>,
    limit: u64,
    counts: Counts,
}

impl ImageCache {
    /// The cache of this user, of at most so many bytes; 0 keeps nothing.
    pub fn standard(limit: u64) -> ImageCache {
        ImageCache {
            folder: cache_folder().map(|folder| folder.join("kernels")),
            limit,
            counts: Counts::default(),
        }
    }

    /// A cache in a folder, which is made when it is needed.
    pub fn in_folder(folder: impl Into<PathBuf>, limit: u64) -> ImageCache {
        ImageCache { folder: Some(folder.into()), limit, counts: Counts::default() }
    }

    /// Where the images are; none if nothing is kept.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref().filter(|_| self.limit > 0)
    }

    /// How often the cache did what.
    pub fn counts(&self) -> ImageCounts {
        let counts = &self.counts;
        ImageCounts {
            hits: counts.hits.load(Relaxed),
            misses: counts.misses.load(Relaxed),
            stored: counts.stored.load(Relaxed),
            broken: counts.broken.load(Relaxed),
            removed: counts.removed.load(Relaxed),
            failed: counts.failed.load(Relaxed),
        }
    }

    /// The image of a key, if it is there and whole.
    pub fn load(&self, key: ImageKey) -> Option<Vec<u8>> {
        let path = self.path(key)?;
        let Ok(mut file) = File::open(&path) else {
            self.counts.misses.fetch_add(1, Relaxed);
            return None;
        };
        let mut bytes = Vec::new();
        let image = match file.read_to_end(&mut bytes) {
            Ok(_) => unpack(key, bytes),
            Err(_) => None,
        };
        match &image {
            Some(_) => {
                self.counts.hits.fetch_add(1, Relaxed);
                // Tells `shrink` what was used last; without the right to do so, it goes by the time of writing.
                let _ = file.set_modified(SystemTime::now());
            }
            None => {
                self.counts.broken.fetch_add(1, Relaxed);
                let _ = fs::remove_file(&path);
            }
        }
        image
    }

    /// Says that a loaded image was refused by its device. It is removed.
    pub fn refuse(&self, key: ImageKey) {
        if let Some(path) = self.path(key) {
            self.counts.broken.fetch_add(1, Relaxed);
            let _ = fs::remove_file(path);
        }
    }

    /// Keeps an image, unless it is larger than the whole cache.
    pub fn store(&self, key: ImageKey, image: &[u8]) {
        let Some(path) = self.path(key) else { return };
        if (image.len() + HEADER) as u64 > self.limit {
            return;
        }
        match write(&path, key, image) {
            Ok(()) => {
                self.counts.stored.fetch_add(1, Relaxed);
                self.shrink(&path);
            }
            Err(_) => {
                self.counts.failed.fetch_add(1, Relaxed);
            }
        }
    }

    fn path(&self, key: ImageKey) -> Option<PathBuf> {
        self.folder().map(|folder| folder.join(format!("{:032x}.{ENDING}", key.0)))
    }

    /// Gives up what was used longest ago, but not the file that was just written, and what dead processes left.
    fn shrink(&self, written: &Path) {
        let Some(entries) = self.folder().and_then(|folder| fs::read_dir(folder).ok()) else { return };
        let now = SystemTime::now();
        let mut images = Vec::new();
        let mut total = 0;
        for entry in entries.flatten() {
            let Ok(data) = entry.metadata() else { continue };
            let path = entry.path();
            let used = data.modified().unwrap_or(now);
            match path.extension().and_then(|ending| ending.to_str()) {
                Some(ENDING) => {
                    total += data.len();
                    images.push((used, data.len(), path));
                }
                Some(TEMPORARY) if now.duration_since(used).is_ok_and(|age| age > ABANDONED) => {
                    let _ = fs::remove_file(path);
                }
                _ => {}
            }
        }
        images.sort();
        for (_, bytes, path) in images.into_iter().filter(|(_, _, path)| path != written) {
            if total <= self.limit {
                break;
            }
            if fs::remove_file(path).is_ok() {
                self.counts.removed.fetch_add(1, Relaxed);
            }
            total -= bytes;
        }
    }
}

/// The folder for what can be made again: `QUASAR_CACHE_DIR`, or where the system keeps such things for this user.
fn cache_folder() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(own) = folder("QUASAR_CACHE_DIR") {
        return Some(own);
    }
    let system = if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Caches"))
    } else {
        folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))
    };
    system.map(|system| system.join("quasar"))
}

fn checksum(image: &[u8]) -> u128 {
    let mut digest = Digest::new();
    digest.add(image);
    digest.0
}

/// The image in the bytes of a file.
fn unpack(key: ImageKey, mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let header = bytes.get(..HEADER)?;
    let number = |from: usize| header.get(from..from + 16)?.try_into().ok().map(u128::from_le_bytes);
    let length = u64::from_le_bytes(header.get(40..48)?.try_into().ok()?);
    let whole = header.starts_with(MAGIC) && number(8)? == key.0 && length == (bytes.len() - HEADER) as u64;
    let sum = number(24)?;
    if !whole {
        return None;
    }
    bytes.drain(..HEADER);
    (checksum(&bytes) == sum).then_some(bytes)
}

/// Writes a file of its own and gives it its name when it is complete, so that nobody ever sees half of it.
fn write(path: &Path, key: ImageKey, image: &[u8]) -> std::io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().unwrap_or(Path::new("."));
    make_private(folder)?;
    let temporary =
        folder.join(format!("{}-{}.{TEMPORARY}", std::process::id(), COUNT.fetch_add(1, Relaxed)));
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(MAGIC)?;
        file.write_all(&key.0.to_le_bytes())?;
        file.write_all(&checksum(image).to_le_bytes())?;
        file.write_all(&(image.len() as u64).to_le_bytes())?;
        file.write_all(image)
    });
    let done = written.and_then(|()| fs::rename(&temporary, path));
    if done.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    done
}

/// Makes a folder that nobody else can write to: what is in it will be executed.
pub(crate) fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that is removed with its contents.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("quasar-images-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Folder(path)
        }

        fn files(&self) -> Vec<PathBuf> {
            let mut files: Vec<_> =
                fs::read_dir(&self.0).unwrap().flatten().map(|entry| entry.path()).collect();
            files.sort();
            files
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn keys_tell_parts_apart() {
        let keys = [
            ImageKey::of(&[b"ab", b"c"]),
            ImageKey::of(&[b"a", b"bc"]),
            ImageKey::of(&[b"abc"]),
            ImageKey::of(&[b"abc", b""]),
            ImageKey::of(&[]),
        ];
        for (k, a) in keys.iter().enumerate() {
            assert!(keys.iter().skip(k + 1).all(|b| a != b));
        }
        // The published test vector of FNV-1a for "foobar".
        assert_eq!(checksum(b"foobar"), 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }

    #[test]
    fn another_process_finds_what_one_stored() {
        let folder = Folder::new("found");
        let key = ImageKey::of(&[b"text"]);
        let first = ImageCache::in_folder(&folder.0, 1 << 20);
        assert_eq!(first.load(key), None);
        first.store(key, b"image");
        assert_eq!(first.counts(), ImageCounts { misses: 1, stored: 1, ..ImageCounts::default() });
        let second = ImageCache::in_folder(&folder.0, 1 << 20);
        assert_eq!(second.load(key).as_deref(), Some(&b"image"[..]));
        assert_eq!(second.load(ImageKey::of(&[b"other"])), None);
        assert_eq!(second.counts(), ImageCounts { hits: 1, misses: 1, ..ImageCounts::default() });
        assert_eq!(folder.files().len(), 1, "no temporary files are left");
    }

    #[test]
    fn broken_files_are_removed_and_written_again() {
        let folder = Folder::new("broken");
        let cache = ImageCache::in_folder(&folder.0, 1 << 20);
        let key = ImageKey::of(&[b"text"]);
        cache.store(key, b"a long enough image");
        let path = folder.files().remove(0);
        let good = fs::read(&path).unwrap();
        let mut cases: Vec<Vec<u8>> = (0..good.len()).map(|k| good[..k].to_vec()).collect();
        cases.extend((0..good.len()).map(|k| {
            let mut bytes = good.clone();
            bytes[k] ^= 0x10;
            bytes
        }));
        cases.push([&good[..], b"x"].concat());
        let count = cases.len() as u64;
        for bytes in cases {
            fs::write(&path, bytes).unwrap();
            assert_eq!(cache.load(key), None);
            assert!(!path.exists());
        }
        assert_eq!(cache.counts().broken, count);
        cache.store(key, b"new");
        assert_eq!(cache.load(key).as_deref(), Some(&b"new"[..]));
        cache.refuse(key);
        assert_eq!(cache.load(key), None);
    }

    #[test]
    fn the_oldest_images_make_room() {
        let folder = Folder::new("limit");
        let cache = ImageCache::in_folder(&folder.0, 3 * (HEADER as u64 + 100));
        let keys: Vec<_> = (0..5u8).map(|k| ImageKey::of(&[&[k]])).collect();
        let old = SystemTime::now() - Duration::from_secs(7200);
        for (k, &key) in keys.iter().enumerate().take(3) {
            cache.store(key, &[0; 100]);
            let file = File::options().write(true).open(cache.path(key).unwrap()).unwrap();
            file.set_modified(old + Duration::from_secs(k as u64)).unwrap();
        }
        assert_eq!(cache.counts().removed, 0);
        assert!(cache.load(keys[0]).is_some(), "using an image makes it young");
        let left_behind = folder.0.join("1-1.tmp");
        let file = File::create(&left_behind).unwrap();
        file.set_modified(old).unwrap();
        cache.store(keys[3], &[0; 100]);
        assert!(!left_behind.exists());
        assert_eq!(cache.counts().removed, 1);
        assert!(cache.load(keys[1]).is_none());
        assert!([0, 2, 3].iter().all(|&k| cache.load(keys[k]).is_some()));
        cache.store(keys[4], &[0; 1000]);
        assert!(cache.load(keys[4]).is_none(), "larger than the cache");
    }

    #[test]
    fn a_cache_without_a_folder_only_counts() {
        let folder = Folder::new("file");
        fs::write(&folder.0, "not a folder").unwrap();
        let cache = ImageCache::in_folder(&folder.0, 1 << 20);
        let key = ImageKey::of(&[b"text"]);
        cache.store(key, b"image");
        assert_eq!(cache.load(key), None);
        assert_eq!(cache.counts(), ImageCounts { failed: 1, misses: 1, ..ImageCounts::default() });
        fs::remove_file(&folder.0).unwrap();
        let off = ImageCache::in_folder(&folder.0, 0);
        off.store(key, b"image");
        assert_eq!((off.load(key), off.counts()), (None, ImageCounts::default()));
        assert!(!folder.0.exists());
    }
}
