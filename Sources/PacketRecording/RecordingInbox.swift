import Bluetooth
import CBluetooth
import Glibc
import Synchronization

/// What the thread of a recording is told by others, and the bell that wakes it for that.
final class RecordingInbox: Sendable {
  private struct Content {
    var straps: Set<BluetoothAddress>?
    var isEnding = false
  }

  private let content = Mutex(Content())
  /// Readable while there is something.
  let bell: Int32

  init() {
    bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    // Without a descriptor nothing of the process works any more.
    precondition(bell >= 0, "no descriptor for the bell of a recording")
  }

  deinit { close(bell) }

  var isEnding: Bool { content.withLock(\.isEnding) }

  func takeStraps() -> Set<BluetoothAddress>? {
    content.withLock { content in
      defer { content.straps = nil }
      return content.straps
    }
  }

  func put(_ straps: Set<BluetoothAddress>) {
    content.withLock { $0.straps = straps }
    ring()
  }

  func end() {
    content.withLock { $0.isEnding = true }
    ring()
  }

  /// Before the inbox is looked into: what is put there afterwards rings again.
  func hush() {
    var count: UInt64 = 0
    _ = read(bell, &count, MemoryLayout<UInt64>.size)
  }

  private func ring() {
    var one: UInt64 = 1
    _ = write(bell, &one, MemoryLayout<UInt64>.size)
  }
}
