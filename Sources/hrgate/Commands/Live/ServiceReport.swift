import Foundation
import Gateway
import Glibc

/// Checks regularly that the gateways work, and reports state and watchdog keep-alives to systemd if systemd
/// started this program.
struct ServiceReport: Sendable {
  /// `nil` if the program was not started by systemd.
  private let notifier: ServiceNotifier?
  private let gateway: MultiUserGateway
  private let states: AsyncStream<GatewayState>

  /// Number of keep-alives per watchdog interval.
  private static let turns = 3
  /// Interval of the checks if there is no watchdog.
  private static let pause = Duration.seconds(60)

  init(of gateway: MultiUserGateway) {
    notifier = ServiceNotifier(environment: ProcessInfo.processInfo.environment, process: getpid())
    self.gateway = gateway
    states = gateway.states()
  }

  /// Reports until the run ends.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await feed() }
      await reportStates()
      group.cancelAll()
    }
  }

  /// Reports that the run is ending.
  func stops() { notifier?.send(.stopping) }

  private func reportStates() async {
    var reported: String?
    for await state in states {
      guard let notifier else { continue }
      let summary = state.summary
      guard summary != reported else { continue }
      // The first state means that the gateway runs or waits for another one: the service has started.
      if reported == nil { notifier.send(.ready, .status(summary)) } else { notifier.send(.status(summary)) }
      reported = summary
    }
  }

  /// Sends watchdog keep-alives only when every gateway has answered, so that systemd restarts one that
  /// hangs.
  private func feed() async {
    let interval = notifier?.watchdogInterval
    await gateway.runLivenessProbes(every: interval.map { $0 / Self.turns } ?? Self.pause) { [notifier] in
      if interval != nil { notifier?.send(.watchdog) }
    }
  }
}
