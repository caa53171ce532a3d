import Foundation
import HealthDataSync
import HealthKit
import HealthSystem

extension PageRequest {
  func text(_ name: String) throws(PageError) -> String {
    guard let text = parameters[name], !text.isEmpty else {
      throw .argument("The parameter \(name) is missing.")
    }
    return text
  }

  /// Returns a numeric parameter.
  /// - Returns: `nil` if the parameter is absent.
  func number(_ name: String, in range: ClosedRange<Double>) throws(PageError) -> Double? {
    guard let text = parameters[name] else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw .argument(
        "The parameter \(name) must be a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  func count(_ name: String, in range: ClosedRange<Int>) throws(PageError) -> Int? {
    guard let text = parameters[name] else { return nil }
    guard let count = Int(text), range.contains(count) else {
      throw .argument(
        "The parameter \(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return count
  }

  func date(_ name: String) throws(PageError) -> Date? {
    guard let text = parameters[name] else { return nil }
    guard let date = Timestamp.parse(text) else {
      throw .argument("The parameter \(name) must be a time, such as 2026-11-21T06:09:00Z.")
    }
    return date
  }

  /// Returns the time range from `from` to `to`, which are both required.
  func span() throws(PageError) -> DateInterval {
    guard let from = try date("from"), let to = try date("to"), from < to else {
      throw .argument("The parameters from and to are required, and to must be later than from.")
    }
    return DateInterval(start: from, end: to)
  }

  func sampleType() throws(PageError) -> HKSampleType { try Self.sampleType(named: text("type")) }

  func quantityType() throws(PageError) -> HKQuantityType { try Self.quantityType(named: text("type")) }

  static func sampleType(named name: String) throws(PageError) -> HKSampleType {
    guard let type = TypeName.sampleType(name) else { throw .absent("There is no type \(name).") }
    return type
  }

  static func quantityType(named name: String) throws(PageError) -> HKQuantityType {
    guard let type = try sampleType(named: name) as? HKQuantityType else {
      throw .argument("\(name) is not a quantity type.")
    }
    return type
  }

  /// Returns a predicate for the parameters `from`, `to` and `source`. As in `hrgate samples`, it matches
  /// samples that start in the range. For statistics, use ``Selection/window``, which counts only the parts
  /// of samples inside the range.
  func selection() throws(PageError) -> NSPredicate? { try choice().predicate() }

  /// Returns the parameters `from`, `to` and `source`.
  func choice() throws(PageError) -> Selection {
    let (from, to) = (try date("from"), try date("to"))
    if let from, let to, to < from { throw .argument("The end (to) is before the start (from).") }
    return Selection(from: from, to: to, sources: sources)
  }
}

/// The time range and sources of the samples to select.
struct Selection: Sendable {
  var from: Date?
  var to: Date?
  /// The bundle identifiers of the sources; empty for all.
  var sources: [String]

  init(from: Date?, to: Date?, sources: [String]) {
    (self.from, self.to, self.sources) = (from, to, sources)
  }

  init(from: Date?, to: Date?, source: String?) {
    self.init(from: from, to: to, sources: source.map { [$0] } ?? [])
  }

  func predicate(_ options: HKQueryOptions = .strictStartDate) -> NSPredicate? { window.predicate(options) }

  /// The selection for statistics, which count only the parts of samples inside the time range.
  var window: FiguresWindow {
    let own = Set(sources.map { HKSource(name: $0, bundleIdentifier: $0) })
    return FiguresWindow(
      from: from, to: to, sources: own.isEmpty ? nil : HKQuery.predicateForObjects(from: own))
  }
}
