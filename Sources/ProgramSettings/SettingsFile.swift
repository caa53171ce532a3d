internal import Foundation

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
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      // Also where a folder above it is none, or is not shown to this program.
      guard FileManager.default.fileExists(atPath: path) else { return nil }
      throw ConfigurationFault("\(path) cannot be read: \(error.localizedDescription)")
    }
    try self.init(text, named: path)
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
