internal import Foundation
internal import Glibc

/// A settings file: one `name = value` per line. Lines that begin with `#` are comments.
struct SettingsFile {
  struct Entry: Hashable {
    var value: String
    var line: Int
  }

  private(set) var entries: [Setting: Entry] = [:]

  /// Reads a file.
  ///
  /// - Returns: `nil` if the file does not exist.
  /// - Throws: ``ConfigurationError`` if the file cannot be read or contains an invalid line.
  init?(at path: String) throws(ConfigurationError) {
    guard let bytes = try Self.content(of: path) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ConfigurationError("\(path) cannot be read: it is not UTF-8")
    }
    try self.init(text, named: path)
  }

  /// Device number of /dev/null, 1:3 on Linux.
  private static let nullDevice: dev_t = 0x103

  /// Reads a regular file. Devices and pipes are rejected, because reading them may never end.
  private static func content(of path: String) throws(ConfigurationError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      // Treat a missing or inaccessible parent directory like a missing file.
      guard errno != ENOENT, errno != ENOTDIR, access(path, F_OK) == 0 else { return nil }
      throw unreadable(path, errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(path, errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw unreadable(path, EISDIR)
    // A link to /dev/null disables a file.
    case S_IFCHR where status.st_rdev == nullDevice: return nil
    default: throw ConfigurationError("\(path) cannot be read: it is not a regular file")
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

  private static func unreadable(_ path: String, _ reason: Int32) -> ConfigurationError {
    ConfigurationError("\(path) cannot be read: \(String(cString: strerror(reason)))")
  }

  /// - Parameter path: The path for error messages.
  init(_ text: String, named path: String) throws(ConfigurationError) {
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.isEmpty || line.hasPrefix("#") { continue }
      let place = "\(path):\(index + 1)"
      guard let sign = line.firstIndex(of: "=") else {
        throw ConfigurationError("\(place): a setting must have the form name = value, but there is no =")
      }
      let name = line[..<sign].trimmingCharacters(in: .whitespaces)
      let value = line[line.index(after: sign)...].trimmingCharacters(in: .whitespaces)
      guard let setting = Setting.all.first(where: { $0.name == name }) else {
        throw ConfigurationError(unknown: name, at: place)
      }
      guard setting.form.accepts(value) else {
        throw ConfigurationError("\(place): \(name) must be \(setting.form.demand)")
      }
      if let earlier = entries[setting] {
        throw ConfigurationError("\(place): \(name) was already set in line \(earlier.line)")
      }
      entries[setting] = Entry(value: value, line: index + 1)
    }
  }
}

/// An error in the settings, with its location.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }

  /// Creates the error for a setting that does not exist, with a similar name as a suggestion.
  /// - Parameter place: The file and line.
  init(unknown name: String, at place: String) {
    let near = NearestName.of(name, among: Setting.all.map(\.name))
    let hint = near.map { "; did you mean \($0)?" } ?? "; list the settings with: hrgate config"
    self.init("\(place): there is no setting \(name)\(hint)")
  }
}
