package import Bluetooth

/// Processes the events that were recorded while the store was locked.
extension EventIntake {
  /// Continues the last run that the store contains, because it was still running when the store was locked.
  package mutating func resumeRun() { resumeSessions() }

  /// Ends a run that was killed. Each connected monitor gets a gap since its last measurement.
  package mutating func endKilledRun(at time: ReceiptTime) {
    updateSessions { session in
      if session.isFollowed { session.beginGap(.gatewayStopped, at: session.gaps.lastFrame ?? time) }
      session.disconnect()
    }
  }

  /// Ends the current heartbeat series of all monitors. Later beats begin new ones.
  package mutating func endSegments() { updateSessions { $0.interrupt() } }

  /// Handles missing entries of the inbox, which contains the events from the time when the store was locked.
  /// Each connected monitor gets a gap that lasts until its next frame.
  package mutating func loseSealed(at time: ReceiptTime) {
    updateSessions { $0.loseSealed(at: time) }
  }
}
