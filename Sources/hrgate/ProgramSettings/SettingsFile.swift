internal import Foundation
internal import Glibc

/// A file of settings: `name = value` on a line; what follows a `#` at the beginning of a line is a comment.
struct SettingsFile {
  struct Entry: Hashable {
    var value: String
    var line: Int
  }

  private(set) var entries: [Setting: Entry] = [:]

  /// - Returns: `nil` where there is no such file.
  /// - Throws: ``ConfigurationFault`` for a file that cannot be read, and for what is no setting.
  init?(at path: String) throws(ConfigurationFault) {
    guard let bytes = try Self.content(of: path) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ConfigurationFault("\(path) cannot be read: it is not UTF-8")
    }
    try self.init(text, named: path)
  }

  /// /dev/null, on Linux 1:3.
  private static let nullDevice: dev_t = 0x103

  /// A device or a pipe is none: it may have no end, or nobody who writes.
  private static func content(of path: String) throws(ConfigurationFault) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      // Also where a folder above it is none, or is not shown to this program.
      guard errno != ENOENT, errno != ENOTDIR, access(path, F_OK) == 0 else { return nil }
      throw unreadable(path, errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(path, errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw unreadable(path, EISDIR)
    // A link to it is how a file is put out of use.
    case S_IFCHR where status.st_rdev == nullDevice: return nil
    default: throw ConfigurationFault("\(path) cannot be read: it is no regular file")
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      guard count != 0 else { return bytes }
      if count > 0 {
        bytes += chunk[..<count]
      } else if errno != EINTR {
        throw unreadable(path, errno)
      }
    }
  }

  private static func unreadable(_ path: String, _ reason: Int32) -> ConfigurationFault {
    ConfigurationFault("\(path) cannot be read: \(String(cString: strerror(reason)))")
  }

  /// - Parameter path: How faults name the file.
  init(_ text: String, named path: String) throws(ConfigurationFault) {
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.isEmpty || line.hasPrefix("#") { continue }
      let place = "\(path):\(index + 1)"
      guard let sign = line.firstIndex(of: "=") else {
        throw ConfigurationFault("\(place): a setting is written name = value, and there is no =")
      }
      let name = line[..<sign].trimmingCharacters(in: .whitespaces)
      let value = line[line.index(after: sign)...].trimmingCharacters(in: .whitespaces)
      guard let setting = Setting.all.first(where: { $0.name == name }) else {
        throw ConfigurationFault(unknown: name, at: place)
      }
      guard setting.form.accepts(value) else {
        throw ConfigurationFault("\(place): \(name) is \(setting.form.demand)")
      }
      if let earlier = entries[setting] {
        throw ConfigurationFault("\(place): \(name) was set in line \(earlier.line) already")
      }
      entries[setting] = Entry(value: value, line: index + 1)
    }
  }
}
