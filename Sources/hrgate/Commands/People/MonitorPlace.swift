import Bluetooth
import Foundation
import Gateway
import HealthKit
import HealthSystem

/// In whose store a monitor is enrolled, and from whose it goes: it belongs to one person.
struct MonitorPlace {
  /// Whose it is from now on; `nil` for the owner, and for a store that is nobody's here.
  let person: String?
  let registry: MonitorRegistry
  /// What the user is to know, as a sentence.
  let notice: String?
  /// Those who had it.
  private let former: [MonitorRegistry]

  /// - Parameters:
  ///   - wanted: The store that was named, or the owner's by default. A monitor that is somebody's stays
  ///     theirs unless somebody else is named: two hearts in one store cannot be told apart any more.
  ///   - named: That store's.
  init(
    of address: BluetoothAddress, wanted: StoreChoice, in named: MonitorRegistry
  ) async throws {
    let owners = try await Household.holders(of: address, beside: wanted)
    if case .owner(file: _, isNamed: false) = wanted, owners.count == 1, let holder = owners.first {
      person = holder.person
      registry = holder.registry
      former = []
      let name = holder.person ?? "owner"
      notice =
        "\(address) is \(name.plain)'s, and stays so: to make it the owner's, hrgate pair \(address) --person owner"
      return
    }
    person = wanted.person?.text
    registry = named
    former = owners.map(\.registry)
    let names = owners.map { $0.person?.plain ?? "the owner" }.joined(separator: " and ")
    notice =
      owners.isEmpty
      ? nil
      : "\(address) was \(names)'s until now: what it measured stays there, and from now on it is \(person?.plain ?? "the owner")'s"
  }

  /// Enrols it here, and nowhere else. Where it cannot be taken from whoever had it, it stays theirs.
  func enrol(_ monitor: EnrolledMonitor) async throws {
    try await registry.enrol(monitor)
    for holder in former {
      do {
        let settings = try await holder.monitor(monitor.address)?.settings
        if let settings { try await registry.adopt(settings, of: monitor.address) }
        try await holder.forget(monitor.address)
      } catch {
        _ = try? await registry.forget(monitor.address)
        throw Failure("\(monitor.address) stays whose it was: \(error.localizedDescription)")
      }
    }
  }
}

/// The stores of the owner and of the people.
enum Household {
  struct Member {
    var person: String?
    var registry: MonitorRegistry
  }

  /// In which other stores a monitor is enrolled. A store that an option names is none of the household's.
  /// - Throws: ``Failure`` for a store that cannot be read: nobody knows what is enrolled in it.
  static func holders(of address: BluetoothAddress, beside choice: StoreChoice) async throws -> [Member] {
    var holders: [Member] = []
    for (person, file) in try others(beside: choice) {
      do {
        let registry = try MonitorRegistry(HKHealthStore(storeAt: file))
        if try await registry.monitor(address) != nil {
          holders.append(Member(person: person, registry: registry))
        }
      } catch {
        throw Failure(
          "\(person?.plain ?? "the owner")'s store cannot be read, so it is not known whether the monitor is theirs: \(error.localizedDescription)"
        )
      }
    }
    return holders
  }

  /// The stores that are there, but the chosen one. A store that an option names is none of the household's.
  /// - Throws: `ConfigurationFault`; ``Failure``.
  static func others(beside choice: StoreChoice) throws -> [(person: String?, file: String)] {
    if case .file = choice { return [] }
    return try stores().filter { $0.file != choice.file }
  }

  /// - Parameter isLooking: The store is not opened to be written to, nor brought up to date.
  /// - Returns: `nil` where there is no store, and none is made.
  /// - Throws: `HKError`.
  static func enrolments(_ file: String, isLooking: Bool) async throws -> MonitorOwners.Enrolments? {
    guard FileManager.default.fileExists(atPath: file) else { return nil }
    if isLooking { return try MonitorOwners.Enrolments(ofStoreAt: file) }
    return try await MonitorOwners.Enrolments(of: MonitorRegistry(HKHealthStore(storeAt: file)))
  }

  /// Those that are there.
  private static func stores() throws -> [(person: String?, file: String)] {
    let home = DataHome.user
    let owner = try StoreChoice.owners
    let people = try PersonFault.told { () throws(PersonFault) in try home.people.names() }
    return ([(nil, owner)] + people.map { ($0.text, home.people.store(of: $0)) }).filter {
      FileManager.default.fileExists(atPath: $0.1)
    }
  }
}
