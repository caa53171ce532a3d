import Foundation
import Glibc

/// inotify events of the files in a directory. The directory is watched, and not the file, because SQLite
/// creates and deletes its log file.
struct DirectoryEvents: Sendable {
  let descriptor: Int32

  /// Returns `nil` if the kernel does not provide a watch. The number of watches is limited.
  init?(ofDirectoryHolding path: String) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    let events = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)
    guard inotify_add_watch(descriptor, path.enclosingFolder, events) >= 0 else {
      close()
      return nil
    }
  }

  /// Reads all pending events.
  /// - Returns: Whether an event concerns the file `name`, or events were lost.
  func read(touch name: String) -> Bool {
    var isTouched = false
    var buffer = [UInt8](repeating: 0, count: 16384)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return isTouched }
      isTouched = isTouched || Self.names(in: buffer[..<count]).contains { $0 == nil || $0 == name }
    }
  }

  func close() {
    _ = Glibc.close(descriptor)
  }

  /// Returns the file names in a buffer of `inotify_event`s. A `nil` element is an event without a name,
  /// which reports that events were lost.
  private static func names(in buffer: ArraySlice<UInt8>) -> [String?] {
    let header = MemoryLayout<inotify_event>.size
    var names: [String?] = []
    var position = 0
    buffer.withUnsafeBytes { bytes in
      while position + header <= bytes.count {
        let event = bytes.loadUnaligned(fromByteOffset: position, as: inotify_event.self)
        let name = bytes[(position + header)...].prefix(Int(event.len)).prefix { $0 != 0 }
        names.append(name.isEmpty ? nil : String(decoding: name, as: UTF8.self))
        position += header + Int(event.len)
      }
    }
    return names
  }
}
