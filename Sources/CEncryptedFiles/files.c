// A VFS that encrypts databases, write-ahead logs, rollback journals and temporary files over SQLite's unix
// VFS.
//
// An encrypted file has a header of 4,096 bytes. It contains the random key of the file, encrypted with the
// store's data key. SQLite's content follows the header. Locks use the same bytes of the file as without
// encryption. The shared memory (-shm) is not encrypted, because it contains page numbers and checksums but
// no content.
//
// When an encrypted file is opened, its methods are replaced by those below, which call the original ones on
// the same object. An unencrypted file keeps the original methods.

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "encrypted_files.h"
#include "keys.h"
#include "sectors.h"

/// The state of an open file. It is stored in memory directly after the unix VFS's file object.
typedef struct State {
  const sqlite3_io_methods *below;
  FileKind kind;
  /// Whether the header was read or written, so that `cipher` is open.
  bool is_ready;
  Cipher cipher;
  uint8_t store[ENCRYPTED_STORE_ID];
  /// The serial of the data key in the keyring.
  long serial;
  /// The page size of a write-ahead log; 0 for other files.
  int64_t page_size;
  /// The offset of the content in the file.
  int64_t start;
} State;

static sqlite3_vfs vfs;
static sqlite3_vfs *unix_vfs;
static int state_offset;
static atomic_long opened;

static State *state_of(sqlite3_file *file) { return (State *)((char *)file + state_offset); }

// MARK: - The layout of a write-ahead log

// A log has a header of 32 bytes, then frames: 24 bytes and a page. If they were stored without gaps, the
// end of one frame and the beginning of the next would share a cipher block. A reader of the first frame
// could then see half a block while another process appends the second. So each frame header is followed by
// 8 unused bytes. Every part of the log then begins at a multiple of 16, and no block belongs to two parts.
enum { log_header = 32, frame_header = 24, stored_frame_header = 32 };

/// A range of a file's content that is stored contiguously.
typedef struct {
  /// The offset at which the range is stored, relative to `State.start`.
  int64_t offset;
  int count;
  /// Whether the bytes between the end of the range and the end of its last cipher block are unused.
  bool is_padded;
} Part;

/// Returns the first part of a range of content that is stored contiguously.
static Part first_part(const State *state, int64_t offset, int count) {
  Part part = {offset, count, false};
  if (state->kind != kind_log) return part;
  int64_t end;
  if (offset < log_header) {
    end = log_header;
  } else {
    int64_t frame = (offset - log_header) / (frame_header + state->page_size);
    int64_t within = (offset - log_header) % (frame_header + state->page_size);
    part.offset = log_header + frame * (stored_frame_header + state->page_size) + within;
    end = offset - within + frame_header;
    if (within >= frame_header) {
      part.offset += stored_frame_header - frame_header;
      end += state->page_size;
    }
    part.is_padded = within < frame_header && offset + count >= end;
  }
  if (offset + count > end) part.count = (int)(end - offset);
  return part;
}

static int64_t stored_size(const State *state, int64_t size) {
  if (state->kind != kind_log || size <= log_header) return size;
  return first_part(state, size, 0).offset;
}

static int64_t content_size(const State *state, int64_t stored) {
  if (state->kind != kind_log || stored <= log_header) return stored;
  int64_t frame = (stored - log_header) / (stored_frame_header + state->page_size);
  int64_t within = (stored - log_header) % (stored_frame_header + state->page_size);
  int64_t content = within < frame_header ? within
      : within <= stored_frame_header     ? frame_header
                                          : within - (stored_frame_header - frame_header);
  return log_header + frame * (frame_header + state->page_size) + content;
}

// MARK: - Headers

static int key_error(int error) {
  return error == ENOMEM ? SQLITE_NOMEM : SQLITE_AUTH;
}

/// Decrypts the header of a file and opens the file's cipher. Returns SQLITE_OK or SQLite's error code.
static int open_header(State *state, const uint8_t bytes[ENCRYPTED_HEADER]) {
  uint8_t keys[ENCRYPTED_DATA_KEY + file_key_length];
  Header header;
  int error = encrypted_key_lookup(state->store, keys, &state->serial);
  if (error) return key_error(error);
  int result = SQLITE_CORRUPT;
  if (header_open(bytes, keys, &header, keys + ENCRYPTED_DATA_KEY) && header.kind == state->kind) {
    state->page_size = header.page_size;
    state->is_ready = cipher_open(&state->cipher, keys + ENCRYPTED_DATA_KEY);
    result = state->is_ready ? SQLITE_OK : SQLITE_NOMEM;
  }
  OPENSSL_cleanse(keys, sizeof keys);
  return result;
}

/// Writes the header of a log or a journal before its first content.
static int make_header(sqlite3_file *file, State *state, uint32_t page_size) {
  uint8_t keys[ENCRYPTED_DATA_KEY + file_key_length];
  uint8_t bytes[ENCRYPTED_HEADER];
  Header header = {.kind = state->kind, .page_size = page_size};
  memcpy(header.store, state->store, ENCRYPTED_STORE_ID);
  int error = encrypted_key_lookup(state->store, keys, &state->serial);
  if (error) return key_error(error);
  int result = SQLITE_NOMEM;
  cipher_close(&state->cipher);
  state->is_ready = false;
  if (header_make(&header, keys, bytes, keys + ENCRYPTED_DATA_KEY)
      && cipher_open(&state->cipher, keys + ENCRYPTED_DATA_KEY)) {
    result = state->below->xTruncate(file, 0);
    if (result == SQLITE_OK) result = state->below->xWrite(file, bytes, ENCRYPTED_HEADER, 0);
    // The header is on disk before any content. So a file with content but no header is damaged, and not the
    // result of a power failure.
    if (result == SQLITE_OK) result = state->below->xSync(file, SQLITE_SYNC_NORMAL);
    state->is_ready = result == SQLITE_OK;
    state->page_size = page_size;
    if (!state->is_ready) cipher_close(&state->cipher);
  }
  OPENSSL_cleanse(keys, sizeof keys);
  return result;
}

/// Reads the header of a log or a journal, which another process may have written since the file was opened.
/// If there is no header yet, the file is treated as empty.
static int find_header(sqlite3_file *file, State *state) {
  sqlite3_int64 size;
  if (state->is_ready) return SQLITE_OK;
  int result = state->below->xFileSize(file, &size);
  if (result != SQLITE_OK || size < ENCRYPTED_HEADER) return result;
  uint8_t bytes[ENCRYPTED_HEADER];
  result = state->below->xRead(file, bytes, ENCRYPTED_HEADER, 0);
  if (result != SQLITE_OK) return result;
  result = open_header(state, bytes);
  // A power failure can leave an incomplete header and no content. Treat such a file as empty.
  return result == SQLITE_CORRUPT && size == ENCRYPTED_HEADER ? SQLITE_OK : result;
}

// MARK: - Reading and writing

enum { buffer_length = 8192 };

/// Reads blocks. Returns SQLITE_IOERR_SHORT_READ if the file ends before the last block; the missing blocks
/// are zeros.
static int read_blocks(sqlite3_file *file, State *state, int64_t offset, uint8_t *bytes, int count) {
  int result = state->below->xRead(file, bytes, count, state->start + offset);
  if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) return result;
  if (!cipher_decrypt(&state->cipher, offset, bytes, (size_t)count)) return SQLITE_IOERR_READ;
  return result;
}

static int read_part(sqlite3_file *file, State *state, int64_t offset, uint8_t *bytes, int count) {
  if (offset % block_length == 0 && count % block_length == 0) {
    return read_blocks(file, state, offset, bytes, count);
  }
  uint8_t buffer[buffer_length];
  int result = SQLITE_OK;
  while (count > 0) {
    int before = (int)(offset % block_length);
    int length = (before + count + block_length - 1) / block_length * block_length;
    if (length > buffer_length) length = buffer_length;
    int part = length - before < count ? length - before : count;
    int status = read_blocks(file, state, offset - before, buffer, length);
    if (status == SQLITE_IOERR_SHORT_READ) {
      result = status;
    } else if (status != SQLITE_OK) {
      return status;
    }
    memcpy(bytes, buffer + before, (size_t)part);
    offset += part;
    bytes += part;
    count -= part;
  }
  return result;
}

static int write_part(sqlite3_file *file, State *state, Part where, const uint8_t *bytes) {
  uint8_t buffer[buffer_length];
  int64_t offset = where.offset;
  int count = where.count;
  while (count > 0) {
    int before = (int)(offset % block_length);
    int length = (before + count + block_length - 1) / block_length * block_length;
    if (length > buffer_length) length = buffer_length;
    int part = length - before < count ? length - before : count;
    const uint8_t *plain = bytes;
    if (before > 0 || part < length) {
      // Read the rest of the first and last block, so that whole blocks can be written. This happens only in
      // journals and temporary files, which only one process uses.
      int last = length - block_length;
      memset(buffer, 0, (size_t)length);
      int status = SQLITE_OK;
      if (before > 0) status = read_blocks(file, state, offset - before, buffer, block_length);
      bool is_last_read = before > 0 && last == 0;
      bool reads_last = before + part < length && !is_last_read && !where.is_padded;
      if (reads_last && (status == SQLITE_OK || status == SQLITE_IOERR_SHORT_READ)) {
        status = read_blocks(file, state, offset - before + last, buffer + last, block_length);
      }
      if (status != SQLITE_OK && status != SQLITE_IOERR_SHORT_READ) return status;
      memcpy(buffer + before, bytes, (size_t)part);
      plain = buffer;
    }
    if (!cipher_encrypt(&state->cipher, offset - before, plain, (size_t)length, buffer)) {
      return SQLITE_IOERR_WRITE;
    }
    int result = state->below->xWrite(file, buffer, length, state->start + offset - before);
    if (result != SQLITE_OK) return result;
    offset += part;
    bytes += part;
    count -= part;
  }
  return SQLITE_OK;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  State *state = state_of(file);
  int result = find_header(file, state);
  if (result != SQLITE_OK) return result;
  if (!state->is_ready) {
    memset(bytes, 0, (size_t)count);
    return SQLITE_IOERR_SHORT_READ;
  }
  uint8_t *at = bytes;
  while (count > 0) {
    Part part = first_part(state, offset, count);
    int status = read_part(file, state, part.offset, at, part.count);
    if (status == SQLITE_IOERR_SHORT_READ) {
      result = status;
    } else if (status != SQLITE_OK) {
      return status;
    }
    at += part.count;
    offset += part.count;
    count -= part.count;
  }
  return result;
}

/// Returns the page size that the header of a write-ahead log contains.
static uint32_t logged_page_size(const uint8_t *header) {
  return (uint32_t)header[8] << 24 | (uint32_t)header[9] << 16 | (uint32_t)header[10] << 8 | header[11];
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  State *state = state_of(file);
  int result = find_header(file, state);
  if (result != SQLITE_OK) return result;
  if (state->kind == kind_log && offset == 0 && count >= log_header) {
    uint32_t page_size = logged_page_size(bytes);
    if (!state->is_ready || state->page_size != page_size) result = make_header(file, state, page_size);
  } else if (!state->is_ready) {
    // SQLite writes the header of a log first. Without the page size in it, content cannot be written.
    if (state->kind == kind_log) return SQLITE_IOERR_WRITE;
    result = make_header(file, state, 0);
  }
  const uint8_t *at = bytes;
  while (result == SQLITE_OK && count > 0) {
    Part part = first_part(state, offset, count);
    result = write_part(file, state, part, at);
    at += part.count;
    offset += part.count;
    count -= part.count;
  }
  return result;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  State *state = state_of(file);
  int result = find_header(file, state);
  if (result != SQLITE_OK) return result;
  if (!state->is_ready) return size == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
  int64_t stored = (stored_size(state, size) + block_length - 1) / block_length * block_length;
  return state->below->xTruncate(file, state->start + stored);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  State *state = state_of(file);
  int result = find_header(file, state);
  if (result == SQLITE_OK) result = state->below->xFileSize(file, size);
  if (result != SQLITE_OK) return result;
  bool is_empty = !state->is_ready || *size < state->start;
  *size = is_empty ? 0 : content_size(state, *size - state->start);
  return SQLITE_OK;
}

static int file_sync(sqlite3_file *file, int flags) { return state_of(file)->below->xSync(file, flags); }

static int file_close(sqlite3_file *file) {
  State *state = state_of(file);
  cipher_close(&state->cipher);
  const sqlite3_io_methods *below = state->below;
  memset(state, 0, sizeof *state);
  return below->xClose(file);
}

// MARK: - Locks

/// Checks that the data key is still valid. Called when a transaction begins. After `hrgate store lock` has
/// revoked the key, open databases fail just like those opened later. They work again after an unlock.
static int check_key(State *state) {
  if (state->kind != kind_database || encrypted_key_is_valid(state->store, state->serial)) return SQLITE_OK;
  uint8_t key[ENCRYPTED_DATA_KEY];
  int error = encrypted_key_lookup(state->store, key, &state->serial);
  OPENSSL_cleanse(key, sizeof key);
  return error ? key_error(error) : SQLITE_OK;
}

static int file_lock(sqlite3_file *file, int level) {
  State *state = state_of(file);
  int result = level == SQLITE_LOCK_SHARED ? check_key(state) : SQLITE_OK;
  return result == SQLITE_OK ? state->below->xLock(file, level) : result;
}

static int file_unlock(sqlite3_file *file, int level) { return state_of(file)->below->xUnlock(file, level); }

static int file_check_reserved(sqlite3_file *file, int *result) {
  return state_of(file)->below->xCheckReservedLock(file, result);
}

static int file_shm_map(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
  return state_of(file)->below->xShmMap(file, page, size, extends, memory);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  State *state = state_of(file);
  int result = flags == (SQLITE_SHM_LOCK | SQLITE_SHM_SHARED) ? check_key(state) : SQLITE_OK;
  return result == SQLITE_OK ? state->below->xShmLock(file, offset, count, flags) : result;
}

static void file_shm_barrier(sqlite3_file *file) { state_of(file)->below->xShmBarrier(file); }

static int file_shm_unmap(sqlite3_file *file, int deletes) {
  return state_of(file)->below->xShmUnmap(file, deletes);
}

// MARK: - The rest

static int file_control(sqlite3_file *file, int operation, void *argument) {
  State *state = state_of(file);
  switch (operation) {
  case SQLITE_FCNTL_SIZE_HINT: {
    sqlite3_int64 size = stored_size(state, *(sqlite3_int64 *)argument) + state->start;
    return state->below->xFileControl(file, operation, &size);
  }
  // Do not allow memory mapping, because the mapped memory would contain ciphertext.
  case SQLITE_FCNTL_MMAP_SIZE: return SQLITE_NOTFOUND;
  default: return state->below->xFileControl(file, operation, argument);
  }
}

static int file_sector_size(sqlite3_file *file) { return state_of(file)->below->xSectorSize(file); }

static int file_characteristics(sqlite3_file *file) {
  // Do not report support for atomic batch writes, so that SQLite does not use them on an encrypted file.
  return state_of(file)->below->xDeviceCharacteristics(file) & ~SQLITE_IOCAP_BATCH_ATOMIC;
}

/// Version 2 of `sqlite3_io_methods` has the methods for shared memory, but not those for memory-mapped I/O,
/// which an encrypted file does not support.
static const sqlite3_io_methods methods = {
    2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock,
    file_check_reserved, file_control, file_sector_size, file_characteristics, file_shm_map, file_shm_lock,
    file_shm_barrier, file_shm_unmap, NULL, NULL};

// MARK: - Opening

/// Reads the header of a database. For an unencrypted one, reads only the first 16 bytes.
static HeaderState read_header(sqlite3_file *file, uint8_t bytes[ENCRYPTED_HEADER], uint8_t *store) {
  static const char plain[16] = "SQLite format 3";
  // A file that is too short counts as not encrypted. After a read error, SQLite's own read reports the
  // error.
  if (file->pMethods->xRead(file, bytes, 16, 0) != SQLITE_OK || !memcmp(bytes, plain, sizeof plain)
      || file->pMethods->xRead(file, bytes, ENCRYPTED_HEADER, 0) != SQLITE_OK) {
    return header_missing;
  }
  return header_state(bytes, store);
}

static void replace_methods(sqlite3_file *file, State *state) {
  state->below = file->pMethods;
  file->pMethods = &methods;
}

static int open_database(sqlite3_file *file, State *state) {
  uint8_t bytes[ENCRYPTED_HEADER];
  switch (read_header(file, bytes, state->store)) {
  case header_missing: return SQLITE_OK;
  case header_damaged: return SQLITE_NOTADB;
  case header_valid: break;
  }
  state->kind = kind_database;
  int result = open_header(state, bytes);
  if (result != SQLITE_OK) return result;
  replace_methods(file, state);
  atomic_fetch_add(&opened, 1);
  return SQLITE_OK;
}

/// Prepares a temporary file for encryption. Its key exists only in memory.
static int open_temporary(sqlite3_file *file, State *state) {
  uint8_t key[file_key_length];
  state->kind = kind_temporary;
  state->start = 0;
  state->is_ready = encrypted_random(key, sizeof key) && cipher_open(&state->cipher, key);
  OPENSSL_cleanse(key, sizeof key);
  if (!state->is_ready) return SQLITE_NOMEM;
  replace_methods(file, state);
  return SQLITE_OK;
}

static int vfs_open(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *out_flags) {
  (void)self;
  State *state = state_of(file);
  memset(state, 0, sizeof *state);
  int result = unix_vfs->xOpen(unix_vfs, name, file, flags, out_flags);
  if (result != SQLITE_OK) return result;
  state->start = ENCRYPTED_HEADER;
  if (flags & SQLITE_OPEN_MAIN_DB && name) {
    result = open_database(file, state);
  } else if (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) && name) {
    sqlite3_file *database = sqlite3_database_file_object(name);
    if (database->pMethods == &methods) {
      state->kind = flags & SQLITE_OPEN_WAL ? kind_log : kind_journal;
      memcpy(state->store, state_of(database)->store, ENCRYPTED_STORE_ID);
      replace_methods(file, state);
    }
  } else if (flags & SQLITE_OPEN_DELETEONCLOSE && atomic_load(&opened) > 0) {
    result = open_temporary(file, state);
  }
  if (result != SQLITE_OK) {
    file->pMethods->xClose(file);
    file->pMethods = NULL;
  }
  return result;
}

static int register_once(void) {
  unix_vfs = sqlite3_vfs_find(NULL);
  if (!unix_vfs) return SQLITE_ERROR;
  // Copy the unix VFS, and replace only the method that opens files.
  vfs = *unix_vfs;
  state_offset = (unix_vfs->szOsFile + 15) / 16 * 16;
  vfs.zName = "hrgate";
  vfs.pNext = NULL;
  vfs.szOsFile = state_offset + (int)sizeof(State);
  vfs.xOpen = vfs_open;
  return sqlite3_vfs_register(&vfs, 1);
}

static int registration;
static void register_and_keep_result(void) { registration = register_once(); }

int encrypted_files_register(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_and_keep_result);
  return registration;
}

long encrypted_files_opened(void) { return atomic_load(&opened); }

// MARK: - Without SQLite

int encrypted_file_create(const char *path, const uint8_t *store, const uint8_t *data_key) {
  uint8_t bytes[ENCRYPTED_HEADER];
  uint8_t key[file_key_length];
  Header header = {.kind = kind_database};
  memcpy(header.store, store, ENCRYPTED_STORE_ID);
  if (!header_make(&header, data_key, bytes, key)) return EIO;
  OPENSSL_cleanse(key, sizeof key);
  int descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return errno;
  ssize_t written = pwrite(descriptor, bytes, ENCRYPTED_HEADER, 0);
  int error = written == ENCRYPTED_HEADER ? 0 : written < 0 ? errno : ENOSPC;
  if (!error && fsync(descriptor) < 0) error = errno;
  close(descriptor);
  return error;
}

int encrypted_file_store(const char *path, uint8_t *store) {
  uint8_t bytes[ENCRYPTED_HEADER];
  struct stat status;
  if (stat(path, &status) < 0) return -errno;
  // A directory, a pipe or a socket is not encrypted.
  if (!S_ISREG(status.st_mode)) return 0;
  if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0) return -errno;
  if (encrypted_files_register() != SQLITE_OK) return -EIO;
  // Open the file with the unix VFS, because closing a descriptor releases all locks of the process on the
  // file. The unix VFS delays closing while another of its files has locks.
  sqlite3_file *file = calloc(1, (size_t)unix_vfs->szOsFile);
  const char *name = sqlite3_create_filename(path, "", "", 0, NULL);
  int result = -ENOMEM;
  if (file && name) {
    result = -EIO;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
    if (unix_vfs->xOpen(unix_vfs, name, file, flags, NULL) == SQLITE_OK) {
      switch (read_header(file, bytes, store)) {
      case header_missing: result = 0; break;
      case header_damaged: result = -EBADMSG; break;
      case header_valid: result = 1; break;
      }
      file->pMethods->xClose(file);
    }
  }
  sqlite3_free_filename(name);
  free(file);
  return result;
}

long encrypted_file_read(const char *path, uint8_t *bytes, size_t count, int64_t offset) {
  uint8_t header[ENCRYPTED_HEADER];
  State state = {.kind = kind_database};
  if (offset % block_length || count % block_length) return -EINVAL;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return -errno;
  ssize_t length = pread(descriptor, header, ENCRYPTED_HEADER, 0);
  long result = -EINVAL;
  if (length == ENCRYPTED_HEADER && header_state(header, state.store) == header_valid) {
    int status = open_header(&state, header);
    result = status == SQLITE_AUTH ? -ENOKEY : -EIO;
    if (status == SQLITE_OK) {
      length = pread(descriptor, bytes, count, ENCRYPTED_HEADER + offset);
      result = length < 0 ? -errno : length / block_length * block_length;
      if (result > 0 && !cipher_decrypt(&state.cipher, offset, bytes, (size_t)result)) result = -EIO;
    }
    cipher_close(&state.cipher);
  }
  close(descriptor);
  return result;
}
