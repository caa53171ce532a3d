package import Bluetooth
import HealthKit
import HealthStorage
package import Ingestion

/// Determines to which of several people a monitor belongs or belonged, so that a recording can be imported
/// into the right stores.
///
/// A monitor belongs to the person in whose store it is. If gateways of other people have followed it before,
/// its earlier measurements may be theirs.
package struct MonitorOwners: Sendable {
  /// To whom a monitor belongs. People are identified by their index in the list.
  package enum Owner: Hashable, Sendable {
    case member(Int)
    /// The monitor is in no store, and no gateway has followed it.
    case nobody
    /// The monitor belonged to one of these people, but it is not known to whom.
    case oneOf(Set<Int>)
  }

  private struct History {
    /// The person in whose store the monitor is, and since when.
    var holder: (member: Int, since: ReceiptTime)?
    /// The people whose gateways have followed the monitor.
    var members: Set<Int> = []
  }

  /// The monitors of one person.
  package struct Enrolments: Sendable {
    /// When each monitor was added to the store.
    fileprivate var enrolled: [BluetoothAddress: ReceiptTime]
    /// All monitors that a gateway has followed for this person, even if they were removed from the store.
    fileprivate var followed: Set<BluetoothAddress>

    /// - Throws: `HKError`.
    package init(of registry: MonitorRegistry) async throws {
      let monitors = try await registry.monitors()
      enrolled = Dictionary(monitors.map { ($0.address, $0.enrolled) }, uniquingKeysWith: max)
      followed = try await registry.followed()
    }

    /// Reads the store at a path without creating or migrating it.
    /// - Throws: `HKError`, also if the store was written by a version without this information.
    package init(ofStoreAt path: String) throws {
      let found = try HKError.translating { try EnrolmentInspection.look(at: path) }
      let known = found.enrolled.compactMap { address, since in
        BluetoothAddress(address).map { ($0, ReceiptTime(microsecondsSince1970: since)) }
      }
      enrolled = Dictionary(known, uniquingKeysWith: max)
      followed = Set(found.followed.compactMap(BluetoothAddress.init))
    }
  }

  private var histories: [BluetoothAddress: History] = [:]
  /// All people who have or had a monitor, and the first one, who also gets the monitors without a person.
  private var everybody: Set<Int> { histories.values.reduce(into: [0]) { $0.formUnion($1.members) } }

  /// - Parameter members: The monitors of each person; `nil` if the person's store cannot be read.
  package init(_ members: [Enrolments?]) {
    for (member, enrolments) in members.enumerated() {
      guard let enrolments else { continue }
      for (address, since) in enrolments.enrolled {
        histories[address, default: History()].members.insert(member)
        // A monitor that is moved to another person is in two stores for a moment. The one to which it was
        // added later counts.
        if histories[address]?.holder.map({ $0.since < since }) ?? true {
          histories[address]?.holder = (member, since)
        }
      }
      for address in enrolments.followed {
        histories[address, default: History()].members.insert(member)
      }
    }
  }

  /// Returns the person to whom a monitor belongs or belonged last; `nil` if there is none or it is not
  /// known.
  package func owner(of peripheral: PeripheralIdentity) -> Int? {
    if case .member(let member) = owner(of: peripheral, at: nil) { member } else { nil }
  }

  /// Returns to whom a monitor belonged at a time. `time` is `nil` if it is not known.
  package func owner(of peripheral: PeripheralIdentity, at time: ReceiptTime?) -> Owner {
    guard case .address(let address) = peripheral else {
      let everybody = everybody
      return everybody.count > 1 ? .oneOf(everybody) : .nobody
    }
    guard let history = histories[address] else { return .nobody }
    if let holder = history.holder, time.map({ $0 >= holder.since }) ?? true { return .member(holder.member) }
    if history.members.count == 1, let only = history.members.first { return .member(only) }
    return .oneOf(history.members)
  }
}

extension MonitorOwners {
  /// Returns the destination of a monitor's recorded data, if the data of each person goes to that person's
  /// store.
  package func place(of peripheral: PeripheralIdentity, at time: ReceiptTime?) -> DividedPipeline.Place {
    switch owner(of: peripheral, at: time) {
    case .member(let member): .pipeline(member)
    // Data of unknown monitors goes to the first person, who runs the import.
    case .nobody: .pipeline(0)
    case .oneOf: .nowhere(.unknownPerson)
    }
  }

  /// Returns the destination of a monitor's recorded data, if only the data of the first person is imported.
  /// The user has named this person, so data that may be this person's is included.
  package func placeOfFirst(
    _ peripheral: PeripheralIdentity, at time: ReceiptTime?
  ) -> DividedPipeline.Place {
    switch owner(of: peripheral, at: time) {
    case .member(0), .nobody: .pipeline(0)
    case .oneOf(let members) where members.contains(0): .pipeline(0)
    case .member: .nowhere(.otherPerson)
    case .oneOf: .nowhere(.unknownPerson)
    }
  }
}
