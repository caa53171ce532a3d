import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds routes for samples that the user enters.
  mutating func addEntry(_ stores: StoreCache) {
    reads["/api/entry"] = { pageRequest in
      try .json(try await EntryResponse.of(stores.store(for: pageRequest)))
    }
    changes["/api/samples"] = { pageRequest in
      let request = try pageRequest.body(EntryRequest.self)
      let entry = try request.entry()
      do {
        let store = try stores.store(for: pageRequest)
        if request.confirmed != true, let doubt = try await store.doubt(about: entry) {
          throw PageError.implausible(doubt)
        }
        let sample = try await store.add(entry)
        return try .json(Added(uuid: sample.uuid.uuidString))
      } catch let error as EntryError {
        var fault = PageError.argument(error.sentence(about: request.type))
        fault.field = error.part?.rawValue
        throw fault
      }
    }
  }
}

/// The types that can be added by hand, and what the form asks for.
struct EntryResponse: Codable, Sendable {
  struct Entry: Codable, Sendable {
    var type: String
    /// The kind of form: `quantity`, `category`, `pressure` or `workout`.
    var kind: String
    /// The default unit.
    var unit: String?
    /// The units to choose from, including the default one.
    var units: [String]?
    /// The names of the values to choose from, or of workout activities. Absent for a category with only one
    /// value.
    var choices: [String]?
    /// Whether the form asks for a start and an end.
    var needsDuration: Bool
    /// Whether the sample may have no end yet.
    var mayBeOngoing: Bool
    /// A further field of the form: `cycleStart` or `reason`. Absent for most types.
    var needs: String?
  }

  var types: [Entry]

  static func of(_ store: SystemStore) async throws -> EntryResponse {
    let defaultUnit = try await store.entryUnits(isShown: true)
    let types = EntryForm.types.compactMap { type -> Entry? in
      guard let form = EntryForm(type) else { return nil }
      var entry = Entry(
        type: TypeName.short(type), kind: "", needsDuration: form.needsDuration,
        mayBeOngoing: type.isOpenEnded)
      func setUnits(of type: HKQuantityType) {
        let unit = defaultUnit(type)
        let choices = type.unitChoices
        entry.unit = unit.unitString
        entry.units = (choices.contains(unit) ? choices : choices + [unit]).map(\.unitString)
      }
      switch form {
      case .quantity(let type):
        entry.kind = "quantity"
        setUnits(of: type)
        if type == HKQuantityType(.insulinDelivery) { entry.needs = "reason" }
      case .category(let type):
        entry.kind = "category"
        if type == HKCategoryType(.menstrualFlow) { entry.needs = "cycleStart" }
      case .bloodPressure:
        entry.kind = "pressure"
        setUnits(of: HKQuantityType(.bloodPressureSystolic))
      case .workout: entry.kind = "workout"
      }
      entry.choices = form.choices.isEmpty ? nil : form.choices.map(\.name)
      return entry
    }
    return EntryResponse(types: types)
  }
}

private struct EntryRequest: Decodable {
  var type: String
  var value: String?
  var unit: String?
  var start: Date
  /// The end; absent for a sample that is still ongoing.
  var end: Date?
  /// The energy in kcal and the distance in km of a workout.
  var energy: String?
  var distance: String?
  var cycleStart: Bool?
  var reason: String?
  /// Whether the user has confirmed an unusual value.
  var confirmed: Bool?

  func entry() throws -> ManualEntry {
    var entry = ManualEntry(type: try PageRequest.sampleType(named: type), start: start, end: end)
    (entry.value, entry.unit, entry.energy, entry.distance) = (value, unit, energy, distance)
    (entry.isCycleStart, entry.reason) = (cycleStart ?? false, reason)
    return entry
  }
}

struct Added: Codable, Sendable {
  var uuid: String
}

extension EntryError {
  fileprivate func sentence(about type: String) -> String {
    let text =
      description.hasPrefix(type) ? description : description.prefix(1).uppercased() + description.dropFirst()
    guard let unknown, unknown.valid.count <= 12 else { return "\(text)." }
    return "\(text): use one of \(unknown.valid.joined(separator: ", "))."
  }
}
