import Foundation
import HealthFormats

// Apple does not publish the keys of its archives. Those that are known from archives begin with a capital,
// where ours do not: `Metadata`, `DataType`, `Quantity`. The meaning is the same.

extension NSCoder {
  /// The key under which a property stands: as this module spells it, else with a capital. Every reader below
  /// this folder asks for its key here.
  func spelling(of key: String) -> String {
    guard !containsValue(forKey: key) else { return key }
    let capital = key.prefix(1).uppercased() + key.dropFirst()
    return containsValue(forKey: capital) ? capital : key
  }

  func hasValue(forKey key: String) -> Bool { containsValue(forKey: spelling(of: key)) }

  /// A text whose key is not known: what stands under ours, else the first text under a key that is meant.
  /// - Parameter isMeant: of a key in small letters.
  func text(forKey key: String, or isMeant: (String) -> Bool) -> String? {
    guard let archive = self as? SecureUnarchiver else { return text(forKey: key) }
    let (own, keys) = (spelling(of: key), archive.textKeys)
    if keys.contains(own) { return text(forKey: own) }
    return keys.first { isMeant($0.lowercased()) }.flatMap { text(forKey: $0) }
  }

  /// A time: a date under our key, or under another the seconds since 2001, as Apple's framework writes it.
  func time(forKey key: String, orSecondsForKey seconds: String) -> Date? {
    if hasValue(forKey: key) { return date(forKey: key) }
    if let archive = self as? SecureUnarchiver, !archive.holdsNumber(forKey: seconds) {
      return date(forKey: seconds)
    }
    return real(forKey: seconds).map { Date(timeIntervalSinceReferenceDate: $0) }
  }
}
