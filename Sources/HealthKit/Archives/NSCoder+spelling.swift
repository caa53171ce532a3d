import Foundation
import HealthFormats

// Apple does not publish the keys of its archives. The known ones start with a capital letter, for example
// `Metadata`, `DataType` and `Quantity`. This module's keys have the same meaning but start with a lowercase
// letter.

extension NSCoder {
  /// Returns the key under which a property is stored: `key` itself, or else `key` with a capital first
  /// letter. Every reader in this folder looks up its key here.
  func spelling(of key: String) -> String {
    guard !containsValue(forKey: key) else { return key }
    let capital = key.prefix(1).uppercased() + key.dropFirst()
    return containsValue(forKey: capital) ? capital : key
  }

  func hasValue(forKey key: String) -> Bool { containsValue(forKey: spelling(of: key)) }

  /// Returns a string whose key in Apple's archives is unknown. Tries `key` first, then the first string
  /// whose key satisfies `isMeant`.
  /// - Parameter isMeant: Receives the key in lowercase.
  func text(forKey key: String, or isMeant: (String) -> Bool) -> String? {
    guard let archive = self as? SecureUnarchiver else { return text(forKey: key) }
    let (own, keys) = (spelling(of: key), archive.textKeys)
    if keys.contains(own) { return text(forKey: own) }
    return keys.first { isMeant($0.lowercased()) }.flatMap { text(forKey: $0) }
  }

  /// Returns a time stored as a date under `key`, or else as seconds since 2001 under `seconds`, as Apple's
  /// framework writes it.
  func time(forKey key: String, orSecondsForKey seconds: String) -> Date? {
    if hasValue(forKey: key) { return date(forKey: key) }
    if let archive = self as? SecureUnarchiver, !archive.holdsNumber(forKey: seconds) {
      return date(forKey: seconds)
    }
    return real(forKey: seconds).map { Date(timeIntervalSinceReferenceDate: $0) }
  }
}
