import Foundation
import Gateway
import Glibc

/// Has the gateways take turns, and tells systemd, where it has started this program, how they stand, and
/// that they work.
struct ServiceReport: Sendable {
  /// `nil` where nobody wants to know.
  private let notifier: ServiceNotifier?
  private let gateway: HouseholdGateway
  private let states: AsyncStream<GatewayState>

  /// How many turns fall into the time that the watchdog waits.
  private static let turns = 3
  /// From one turn to the next where nothing watches.
  private static let pause = Duration.seconds(60)

  init(of gateway: HouseholdGateway) {
    notifier = ServiceNotifier(environment: ProcessInfo.processInfo.environment, process: getpid())
    self.gateway = gateway
    states = gateway.states()
  }

  /// Tells until the run is over.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await feed() }
      await tell()
      group.cancelAll()
    }
  }

  /// The run is to end.
  func stops() { notifier?.tell(.stopping) }

  private func tell() async {
    var told: String?
    for await state in states {
      guard let notifier else { continue }
      let summary = state.summary
      guard summary != told else { continue }
      // The first word is that of a gateway that runs or waits: it has started.
      if told == nil { notifier.tell(.ready, .status(summary)) } else { notifier.tell(.status(summary)) }
      told = summary
    }
  }

  /// Time passes by itself; what feeds the watchdog are turns, which a gateway that hangs does not take.
  private func feed() async {
    let interval = notifier?.watchdogInterval
    await gateway.takeTurns(every: interval.map { $0 / Self.turns } ?? Self.pause) { [notifier] in
      if interval != nil { notifier?.tell(.watchdog) }
    }
  }
}
