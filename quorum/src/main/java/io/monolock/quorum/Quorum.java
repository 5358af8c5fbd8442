// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import java.util.List;

/** The members of a quorum, and its settings. */
record Quorum(List<Member> members, QuorumSettings settings) {}
