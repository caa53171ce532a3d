import Bluetooth
import Foundation
import Gateway
import HealthKit
import Ingestion

/// The stores that a replay writes to: the given one; or those of the account owner and of all people, as in
/// a live gateway.
struct ReplayStores {
  /// Determines to which person a monitor belongs, for messages.
  struct Whose: Sendable {
    /// The people, starting with the one whose store was given. `nil` stands for the account owner, and for a
    /// store that belongs to no person on this machine.
    fileprivate let people: [String?]
    /// Determines to whom each monitor belongs; `nil` if there is only one store.
    fileprivate let owners: MonitorOwners?

    /// Returns the person in whose store the monitor's samples are. If there are none, returns the person to
    /// whom the monitor belongs.
    func person(of peripheral: PeripheralIdentity, place: Int?) -> String? {
      (place ?? owners?.owner(of: peripheral)).flatMap { people[$0] }
    }

    /// Returns the value for `--person`; `nil` if it is unknown to whom the monitor belongs.
    func word(for peripheral: PeripheralIdentity) -> String? {
      owners?.owner(of: peripheral).map { people[$0] ?? "owner" }
    }
  }

  let whose: Whose
  var pipeline: DividedPipeline

  /// Opens the stores.
  ///
  /// - Parameters:
  ///   - monitors: The monitors to store; all if empty.
  ///   - isDryRun: Whether nothing is stored. The other stores are then only read, and an unreadable one is
  ///     not an error.
  ///   - make: Creates the pipeline for the store at a path.
  /// - Throws: ``CommandError`` if a store cannot be opened, or if it cannot be determined to whom a monitor
  ///   belongs.
  init(
    _ choice: StoreChoice, _ monitors: [LoggedMonitorArgument], isDryRun: Bool,
    _ make: (String) throws -> IngestionPipeline
  ) async throws {
    let others = try PersonStore.others(beside: choice)
    let main = try make(choice.file)
    guard !others.isEmpty else {
      whose = Whose(people: [choice.person?.text], owners: nil)
      pipeline =
        monitors.isEmpty
        ? DividedPipeline(main)
        : DividedPipeline([main], division: Self.only(monitors) { _, _ in .pipeline(0) })
      return
    }
    let isForAll = if case .owner(file: _, isNamed: false) = choice { true } else { false }
    var members: [MonitorOwners.Enrolments?] = []
    for store in [PersonStore(person: choice.person?.text, path: choice.file)] + others {
      do {
        members.append(try await MonitorOwners.Enrolments.read(store.path, isLooking: isDryRun))
      } catch {
        let reason =
          "\(store.person?.plain ?? "the owner")'s data cannot be read, so hrgate does not know which monitors are theirs: \(error.localizedDescription)"
        guard isDryRun || !isForAll else { throw CommandError("\(reason); choose a person with --person") }
        StandardError.print(reason)
        members.append(nil)
      }
    }
    let owners = MonitorOwners(members)
    whose = Whose(people: [choice.person?.text] + others.map(\.person), owners: owners)
    if isForAll {
      pipeline = DividedPipeline(
        [main] + (try others.map { try make($0.path) }),
        division: Self.only(monitors) { owners.place(of: $0, at: $1) })
    } else {
      pipeline = DividedPipeline(
        [main], division: Self.only(monitors) { owners.placeOfFirst($0, at: $1) })
    }
  }

  /// Returns the function that assigns each monitor to a store, restricted to the given monitors. Without
  /// given monitors, returns it unchanged.
  private static func only(
    _ monitors: [LoggedMonitorArgument], _ division: @escaping DividedPipeline.Division
  ) -> DividedPipeline.Division {
    guard !monitors.isEmpty else { return division }
    return { peripheral, time in
      monitors.contains { $0.means(peripheral) } ? division(peripheral, time) : .nowhere(.otherMonitor)
    }
  }
}
