import Foundation
public import HealthDataSync

/// The address of a directory and the settings of its files: `file:///DIR?format=ndjson&size=16M&age=10m`.
///
/// - `format`: `ndjson` (default), `csv` or `omh`.
/// - `size`: The size in bytes (K, M, G) after which a file is published and a new one begins. A page of
///   changes is never split. The default is 16M.
/// - `age`: The maximum time (s, m, h, d) between writing the first line of a file and publishing the file.
///   The default is 10m.
public struct FilesAddress: Hashable, Sendable {
  /// The format of the files.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// One JSON object per line, as in `hrgate samples --json`.
    case ndjson
    /// CSV, as in `hrgate samples --csv`.
    case csv
    /// One Open mHealth data point per line.
    case omh
  }

  /// The path of the directory without a trailing slash.
  public let folder: String
  /// The format of the files.
  public let format: Format
  /// The size in bytes after which a file is published.
  public let size: Int
  /// The time after writing the first line at which a file is published.
  public let age: Duration

  /// Parses an address.
  ///
  /// - Parameter url: The URL as given to `hrgate sync add`.
  /// - Throws: `ExternalStoreError` with a description of the mistake.
  public init(_ url: String) throws(ExternalStoreError) {
    guard let parts = URLComponents(string: url), parts.scheme?.lowercased() == "file" else {
      throw .address("the address of a directory looks like file:///DIR?format=ndjson")
    }
    guard parts.user == nil, parts.password == nil, (parts.host ?? "").isEmpty || parts.host == "localhost",
      parts.port == nil, parts.fragment == nil
    else {
      throw .address(
        "a directory must be on this computer: file:/// and its absolute path, with three slashes")
    }
    var folder = parts.path
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    guard folder.hasPrefix("/"), folder != "/", !folder.utf8.contains(0) else {
      throw .address("the address has no directory: file:/// and its absolute path")
    }
    self.folder = folder
    var settings: [String: String] = [:]
    for item in parts.queryItems ?? [] {
      guard ["format", "size", "age"].contains(item.name) else {
        throw .address(
          "the address of a directory has no setting \(item.name): the settings are format, size and age")
      }
      guard let value = item.value, settings.updateValue(value, forKey: item.name) == nil else {
        throw .address("the setting \(item.name) of the address must be given once, with a value")
      }
    }
    guard let format = Format(rawValue: settings["format"] ?? "ndjson") else {
      throw .address("the setting format of the address must be ndjson, csv or omh")
    }
    self.format = format
    guard
      let size = Self.number(settings["size"] ?? "16M", ["": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30])
    else {
      throw .address("the setting size of the address must be a number of bytes, such as 500K, 16M or 1G")
    }
    self.size = size
    guard let age = Self.number(settings["age"] ?? "10m", ["s": 1, "m": 60, "h": 3600, "d": 86_400]) else {
      throw .address("the setting age of the address must be a duration, such as 30s, 10m, 1h or 1d")
    }
    self.age = .seconds(age)
  }

  /// Parses a positive integer with a unit.
  private static func number(_ text: String, _ units: [String: Int]) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits), number > 0, let unit = units[String(text.dropFirst(digits.count))] else {
      return nil
    }
    let (product, overflow) = number.multipliedReportingOverflow(by: unit)
    return overflow || product > 1 << 50 ? nil : product
  }
}
