import Foundation
import HealthFormats

// Apple does not publish the keys of its archives. The known keys start with a capital letter, such as
// `Metadata`, `DataType` and `Quantity`. This module writes the same keys with a lowercase first letter.

extension NSCoder {
  /// Returns the key under which an archive stores a property: `key` itself, or `key` with a capital first
  /// letter. All functions in this directory that read an archive use it.
  func spelling(of key: String) -> String {
    guard !containsValue(forKey: key) else { return key }
    let capital = key.prefix(1).uppercased() + key.dropFirst()
    return containsValue(forKey: capital) ? capital : key
  }

  func hasValue(forKey key: String) -> Bool { containsValue(forKey: spelling(of: key)) }

  /// Decodes a string whose key in Apple's archives is unknown. Tries `key` first, then returns the first
  /// string whose key satisfies `isMeant`.
  /// - Parameter isMeant: Receives a key, in lowercase.
  func text(forKey key: String, or isMeant: (String) -> Bool) -> String? {
    guard let archive = self as? SecureUnarchiver else { return text(forKey: key) }
    let (own, keys) = (spelling(of: key), archive.textKeys)
    if keys.contains(own) { return text(forKey: own) }
    return keys.first { isMeant($0.lowercased()) }.flatMap { text(forKey: $0) }
  }

  /// Decodes a time. It is stored as a date under `key`, or, in Apple's archives, as seconds since 2001 under
  /// `seconds`.
  func time(forKey key: String, orSecondsForKey seconds: String) -> Date? {
    if hasValue(forKey: key) { return date(forKey: key) }
    if let archive = self as? SecureUnarchiver, !archive.holdsNumber(forKey: seconds) {
      return date(forKey: seconds)
    }
    return real(forKey: seconds).map { Date(timeIntervalSinceReferenceDate: $0) }
  }
}
