import Foundation

/// A property list file whose root is a dictionary. If a value has the wrong type, its functions throw an
/// error that names the key.
struct PropertyList {
  /// Maximum file size in bytes. Typical files have a few kilobytes.
  private static let greatestSize = 1 << 20

  let url: URL
  private let values: [String: Any]

  /// Reads a property list.
  /// - Throws: errorInvalidArgument with the file's path, if it cannot be read or does not contain a
  ///   dictionary.
  init(_ url: URL) throws(HKError) {
    self.url = url
    let plist: Any
    do {
      let handle = try FileHandle(forReadingFrom: url)
      defer { try? handle.close() }
      let data = try handle.read(upToCount: Self.greatestSize + 1) ?? Data()
      guard data.count <= Self.greatestSize else {
        throw HKError(.errorInvalidArgument, reason: "is too large")
      }
      plist = try PropertyListSerialization.propertyList(from: data, format: nil)
    } catch let error as HKError {
      throw HKError(.errorInvalidArgument, reason: "\(url.path) \(error.reason)")
    } catch {
      throw HKError(
        .errorInvalidArgument, reason: "\(url.path) cannot be read: \(error.localizedDescription)")
    }
    guard let values = plist as? [String: Any] else {
      throw HKError(.errorInvalidArgument, reason: "\(url.path) is not a property list of a dictionary")
    }
    self.values = values
  }

  func text(_ key: String) throws(HKError) -> String? { try value(key, "text") }

  func texts(_ key: String) throws(HKError) -> [String]? { try value(key, "a list of texts") }

  /// Returns a boolean, or false if the key is missing.
  func isTrue(_ key: String) throws(HKError) -> Bool { try value(key, "true or false") ?? false }

  private func value<Value>(_ key: String, _ kind: String) throws(HKError) -> Value? {
    guard let value = values[key] else { return nil }
    guard let value = value as? Value else {
      throw HKError(.errorInvalidArgument, reason: "\(url.path): \(key) must be \(kind)")
    }
    return value
  }
}
