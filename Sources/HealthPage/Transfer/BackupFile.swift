import Foundation
import Glibc
import HealthStorage
import HealthSystem

/// A snapshot of a store, in a private temporary file without a name.
final class BackupFile: Sendable {
  private let descriptor: Int32

  /// Copies a store.
  /// - Parameter file: The path of the store. The copy is in the same directory.
  /// - Throws: `HKError`, ``PageError``.
  init(ofStoreAt file: String) throws {
    let folder = file.enclosingFolder
    var template = Array("\(folder)/.hrgate-backup-XXXXXX".utf8CString)
    // mkdtemp creates the directory with mode 0700, so no other user can enter it.
    guard mkdtemp(&template) != nil else {
      throw PageError.store("A copy of the store cannot be made: \(String(cString: strerror(errno))).")
    }
    let place = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    defer { try? FileManager.default.removeItem(atPath: place) }
    let copy = place + "/health.sqlite"
    try StoreCare.backUp(file, to: copy)
    descriptor = open(copy, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw PageError.store("The copy of the store cannot be read: \(String(cString: strerror(errno))).")
    }
  }

  deinit { close(descriptor) }

  func write(to body: ResponseBody) async throws {
    while true {
      var bytes = [UInt8](repeating: 0, count: 262_144)
      let count = read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw PageError.store("The copy of the store cannot be read. Try again, or run hrgate store backup.")
      }
      if count == 0 { return }
      try await body.write(Array(bytes.prefix(count)))
    }
  }
}
