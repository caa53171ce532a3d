import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the routes for the user's characteristics, units, goals and preferred sources.
  mutating func addPreferences(_ stores: StoreCache) {
    addCharacteristics(stores)
    addUnits(stores)
    addMaximum(stores)
    addGoals(stores)
    addOrder(stores)
    reads["/api/medications"] = { request in
      try .json(try await MedicationsResponse.of(stores.store(for: request).healthStore))
    }
  }

  private mutating func addCharacteristics(_ stores: StoreCache) {
    reads["/api/characteristics"] = { request in
      let store = try stores.store(for: request).healthStore
      return try .json(
        CharacteristicsResponse(
          characteristics: Characteristic.allCases.map {
            .init(name: $0.rawValue, value: try $0.text(in: store), values: $0.values?.map(\.name))
          }))
    }
    changes["/api/characteristics"] = { request in
      try await request.body(CharacteristicChange.self).make(in: stores.store(for: request))
      return try .json(Done())
    }
  }

  private mutating func addUnits(_ stores: StoreCache) {
    reads["/api/units"] = { request in
      try .json(try await UnitsResponse.of(stores.store(for: request)))
    }
    changes["/api/units"] = { request in
      let change = try request.body(UnitChange.self)
      let type = try PageRequest.quantityType(named: change.type)
      let unit = try change.unit.map { text in
        guard let unit = type.unit(named: text) else {
          throw PageError.argument("\(change.type) cannot be expressed in \(text).")
        }
        return unit
      }
      try await stores.store(for: request).setPreferredUnit(unit, for: type)
      return try .json(Done())
    }
  }

  private mutating func addMaximum(_ stores: StoreCache) {
    reads["/api/maximum"] = { request in
      let store = try stores.store(for: request)
      return try .json(
        MaximumResponse(basis: store.maximumHeartRate(), limits: store.zoneLimits()?.rates))
    }
    changes["/api/maximum"] = { request in
      let change = try request.body(MaximumChange.self)
      guard change.maximum.map(MaximumHeartRate.range.contains) ?? true else {
        throw PageError.argument("A maximum heart rate is between 100 and 230 beats per minute.")
      }
      try await stores.store(for: request).setMaximumHeartRate(change.maximum)
      return try .json(Done())
    }
    changes["/api/zones/limits"] = { request in
      let rates = try request.body(LimitsChange.self).limits
      let limits = rates.flatMap(ZoneLimits.init)
      guard (limits == nil) == (rates == nil) else { throw PageError.argument(ZoneLimits.rule) }
      try await stores.store(for: request).setZoneLimits(limits)
      return try .json(Done())
    }
  }

  private mutating func addGoals(_ stores: StoreCache) {
    reads["/api/goals"] = { request in
      let goals = try await stores.store(for: request).activityGoals()
      return try .json(
        GoalsResponse(
          goals: goals.map {
            .init(
              goal: $0.goal.rawValue, from: $0.day.text, value: $0.quantity?.doubleValue(for: $0.goal.unit),
              unit: $0.goal.unit.unitString)
          },
          choices: ActivityGoal.allCases.map { .init(goal: $0.rawValue, unit: $0.unit.unitString) }))
    }
    changes["/api/goals"] = { request in
      try await request.body(GoalChange.self).make(in: stores.store(for: request))
      return try .json(Done())
    }
  }

  private mutating func addOrder(_ stores: StoreCache) {
    reads["/api/order"] = { request in
      let type = try request.quantityType()
      let order = try await stores.store(for: request).sourceOrder(of: type)
      return try .json(
        OrderResponse(
          type: TypeName.short(type),
          sources: order.map {
            .init(source: $0.source.bundleIdentifier, name: $0.source.name, isChosen: $0.isChosen)
          }))
    }
    changes["/api/order"] = { request in
      let change = try request.body(OrderChange.self)
      guard Set(change.sources).count == change.sources.count else {
        throw PageError.argument("A source can only be listed once.")
      }
      let type = try PageRequest.quantityType(named: change.type)
      do {
        try await stores.store(for: request).setSourceOrder(change.sources, of: type)
      } catch HKError.errorInvalidArgument {
        throw PageError.absent("The store has no such source.")
      }
      return try .json(Done())
    }
  }
}

struct CharacteristicsResponse: Codable, Sendable {
  struct Entry: Codable, Sendable {
    var name: String
    /// The value; absent if it is not set.
    var value: String?
    /// The values to choose from; absent for a date.
    var values: [String]?
  }

  var characteristics: [Entry]
}

private struct CharacteristicChange: Decodable {
  var name: String
  /// The new value; `null` to remove it.
  var value: String?

  func make(in store: SystemStore) async throws {
    guard let characteristic = Characteristic(rawValue: name) else {
      throw PageError.absent("There is no characteristic \(name).")
    }
    guard let value else { return try await store.setCharacteristic(characteristic.identifier, to: nil) }
    if let values = characteristic.values {
      guard let number = values.first(where: { $0.name == value })?.rawValue else {
        throw PageError.argument("\(name) is one of: \(values.map(\.name).joined(separator: ", ")).")
      }
      try await store.setCharacteristic(characteristic.identifier, to: number)
    } else {
      guard let day = ActivityDay(text: value) else {
        throw PageError.argument("\(name) is a date, such as 1990-05-17.")
      }
      try await store.setDateOfBirth(day)
    }
  }
}

struct MaximumResponse: Codable, Sendable {
  /// The maximum heart rate; absent if neither it nor the date of birth is set.
  var basis: MaximumHeartRate?
  /// The heart rates at which zones 1 to 5 begin, if the user entered them.
  var limits: [Int]?
}

private struct MaximumChange: Decodable {
  /// The new maximum heart rate; `null` to estimate it from the age.
  var maximum: Int?
}

private struct LimitsChange: Decodable {
  /// The heart rates at which zones 1 to 5 begin; `null` for shares of the maximum heart rate.
  var limits: [Int]?
}

struct UnitsResponse: Codable, Sendable {
  struct Entry: Codable, Sendable {
    var type: String
    var unit: String
    /// Whether the user chose the unit; otherwise it is the usual unit in the user's country.
    var isChosen: Bool
    /// The units to choose from. ``unit`` is one of them.
    var choices: [String]
  }

  /// The units of the types that the store contains or for which the user chose a unit.
  var units: [Entry]

  static func of(_ store: SystemStore) async throws -> UnitsResponse {
    let chosen = try await store.chosenUnits()
    let stored = Set(try await store.sampleCounts().flatMap(\.counts.keys))
    let types = HKSampleType.known.compactMap { $0 as? HKQuantityType }
      .filter { stored.contains($0.identifier) || chosen[$0] != nil }
    let units = try await store.healthStore.preferredUnits(for: Set(types))
    return UnitsResponse(
      units: units.map { type, unit in
        let choices = type.unitChoices.map(\.unitString)
        return Entry(
          type: TypeName.short(type), unit: unit.unitString, isChosen: chosen[type] != nil,
          // Add the chosen unit if it is missing: `hrgate units set` accepts other units too.
          choices: choices.contains(unit.unitString) ? choices : choices + [unit.unitString])
      }.sorted { $0.type < $1.type })
  }
}

private struct UnitChange: Decodable {
  var type: String
  /// The new unit; `null` for the usual one in the user's country.
  var unit: String?
}

struct GoalsResponse: Codable, Sendable {
  struct Entry: Codable, Sendable {
    var goal: String
    /// The first day of the goal.
    var from: String
    /// The goal per day; absent if the goal ends on that day.
    var value: Double?
    var unit: String
  }

  /// A kind of goal, such as steps, that the user can set.
  struct Choice: Codable, Sendable {
    var goal: String
    /// The unit of the goal's values.
    var unit: String
  }

  var goals: [Entry]
  var choices: [Choice]
}

private struct GoalChange: Decodable {
  var goal: String
  /// The new goal per day; `null` to end the goal.
  var value: Double?
  var from: String

  func make(in store: SystemStore) async throws {
    guard let goal = ActivityGoal(rawValue: goal) else { throw PageError.absent("There is no goal \(goal).") }
    guard let day = ActivityDay(text: from) else {
      throw PageError.argument("The first day is a date, such as 2026-05-17.")
    }
    if let value, !(value.isFinite && value >= 0) { throw PageError.argument("A goal cannot be negative.") }
    try await store.setActivityGoal(
      value.map { HKQuantity(unit: goal.unit, doubleValue: $0) }, for: goal, from: day)
  }
}

struct OrderResponse: Codable, Sendable {
  struct Entry: Codable, Sendable {
    var source: String
    var name: String
    var isChosen: Bool
  }

  var type: String
  /// The sources, highest priority first.
  var sources: [Entry]
}

private struct OrderChange: Decodable {
  var type: String
  /// The bundle identifiers, highest priority first; empty for the default order.
  var sources: [String]
}
