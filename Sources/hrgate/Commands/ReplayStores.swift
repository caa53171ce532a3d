import Bluetooth
import Foundation
import Gateway
import HealthKit
import Ingestion

/// Into whose stores a replay goes: into the one that is named, or into those of the owner and of all people,
/// as the gateway stores what is live.
struct ReplayStores {
  /// Whose a monitor is, for the user.
  struct Whose: Sendable {
    /// Those of the household, the first being whose store was named; `nil` for the owner, and for a store
    /// that is nobody's here.
    fileprivate let people: [String?]
    /// `nil` where there is but one.
    fileprivate let owners: MonitorOwners?

    /// In whose store something of a monitor is, or else whose it is.
    func person(of peripheral: PeripheralIdentity, place: Int?) -> String? {
      (place ?? owners?.owner(of: peripheral)).flatMap { people[$0] }
    }

    /// The word for `--person`; `nil` where it is not known whose a monitor is.
    func word(for peripheral: PeripheralIdentity) -> String? {
      owners?.owner(of: peripheral).map { people[$0] ?? "owner" }
    }
  }

  let whose: Whose
  var pipeline: DividedPipeline

  /// - Parameters:
  ///   - monitors: Of which something is stored; all where there are none.
  ///   - isDryRun: Nothing is stored: the others' stores are looked at alone, and one that cannot be read
  ///     ends nothing.
  ///   - make: Makes the pipeline of the store at a path.
  /// - Throws: ``Failure`` where a store cannot be opened, or it cannot be read whose a monitor is.
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
          "\(store.person?.plain ?? "the owner")'s store cannot be read, so it is not known which monitors are theirs: \(error.localizedDescription)"
        guard isDryRun || !isForAll else { throw Failure("\(reason); --person says whose the log is") }
        StandardError.tell(reason)
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

  /// What a division says of these monitors, where there are any; others go nowhere.
  private static func only(
    _ monitors: [LoggedMonitorArgument], _ division: @escaping DividedPipeline.Division
  ) -> DividedPipeline.Division {
    guard !monitors.isEmpty else { return division }
    return { peripheral, time in
      monitors.contains { $0.means(peripheral) } ? division(peripheral, time) : .nowhere(.otherMonitor)
    }
  }
}
