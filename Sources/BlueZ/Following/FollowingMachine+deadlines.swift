import Bluetooth
import DBus

/// The timers of the state machine: when a timeout, a retry or another action is due next.
extension FollowingMachine {
  /// When the caller has to send ``Input/timer`` next; `nil` if nothing is due.
  var deadline: BootTime? {
    guard isBusOpen == true, isDaemonPresent == true, !isStopping else { return nil }
    // Until the ping is answered, the only deadlines are those of held measurements, which may be copies or
    // late.
    if isDaemonInDoubt { return monitors.all.compactMap { $0.link?.heldDeadline }.min() }
    return (monitors.all.compactMap(deadline(of:)) + duties.keys.compactMap(deadline(ofDutyAt:))).min()
  }

  private func deadline(of monitor: Monitor) -> BootTime? {
    [nextStep(of: monitor), monitor.link?.heldDeadline].compactMap(\.self).min()
  }

  private func nextStep(of monitor: Monitor) -> BootTime? {
    if let link = monitor.link {
      if let established = link.established { return nextStep(of: established, link, monitor) }
      if let lastValue = link.lastValue { return lastValue + policy.settling }
    }
    if let attempt = monitor.attempt { return attempt.deadline(by: policy) }
    guard blocker == nil, monitor.state != .searching else { return nil }
    // Skip times in the past. If `nextAttempt` has passed, the adapter is busy with another attempt, and the
    // end of that attempt has its own deadline.
    let hint = monitor.state == .away ? monitor.awaySince.map { $0 + policy.awayBeforeHint } : nil
    return [monitor.nextAttempt, hint].compactMap(\.self).filter { $0 > now }.min()
  }

  private func nextStep(
    of established: MonitorLink.EstablishedLink, _ link: MonitorLink, _ monitor: Monitor
  ) -> BootTime? {
    if let closing = established.closing { return closing.since + policy.closing }
    if let deadline = link.resolvingDeadline(by: policy),
      tree.device(at: established.device)?.areServicesResolved != true
    {
      return deadline
    }
    switch established.subscription {
    case .wanted(let notBefore): return notBefore
    case .requested: return nil
    case .active:
      return link.quietSince.map {
        $0 + (established.isSilent ? monitor.timeout(by: policy) : policy.silence)
      }
    }
  }

  private func deadline(ofDutyAt adapter: ObjectPath) -> BootTime? {
    guard let duty = duties[adapter] else { return nil }
    var times: [BootTime] = []
    if case .failed(let again) = duty.registration, hasGattManager(adapter) { times.append(again) }
    if case .running(let since) = duty.discovery { times.append(since + policy.discoveryWindow) }
    // While the adapter is connecting, the end of that attempt is the next deadline.
    if duty.discovery == .none, isSearching, !isConnecting(by: adapter) { times.append(duty.nextDiscovery) }
    return times.min()
  }
}
