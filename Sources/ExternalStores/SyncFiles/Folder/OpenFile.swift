import Foundation
import Glibc

/// A file, closed with its owner. Everything goes through the descriptor: a name may change hands.
final class OpenFile: Sendable {
  let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  func size() throws(FolderFailure) -> Int {
    var status = stat()
    try checked { fstat(descriptor, &status) }
    return Int(status.st_size)
  }

  func read(at offset: Int, count: Int) throws(FolderFailure) -> Data {
    var bytes = Data(count: count)
    var done = 0
    while done < count {
      let got = try checked { () -> Int in
        bytes.withUnsafeMutableBytes { buffer in
          pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
        }
      }
      if got == 0 { break }
      done += got
    }
    return done == count ? bytes : bytes.prefix(done)
  }

  func write(_ bytes: Data, at offset: Int) throws(FolderFailure) {
    var done = 0
    while done < bytes.count {
      done += try checked { () -> Int in
        bytes.withUnsafeBytes { buffer in
          pwrite(descriptor, buffer.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
        }
      }
    }
  }

  func truncate(to size: Int) throws(FolderFailure) { try checked { ftruncate(descriptor, off_t(size)) } }
  func sync() throws(FolderFailure) { try checked { fsync(descriptor) } }
}
